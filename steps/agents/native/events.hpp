// The events and slots of the agent that calls tools through the model's protocol. It starts, streams and ends with the
// events of the react agent (steps/agents/common/events.hpp), so a reader of one reads both.
#pragma once
#include "steps/agents/common/events.hpp"

namespace weft::agents::inline native_steps {
/// The model is asked, with what the transcript holds.
struct AskEvent {};
BOOST_DESCRIBE_STRUCT(AskEvent, (), ())

/// The model or its server cannot call tools: the question goes to an agent that talks in text.
struct TextAgentEvent {
    std::string question;
};
BOOST_DESCRIBE_STRUCT(TextAgentEvent, (), (question))

/// What was said in this run, from its question on: replies with their calls, and a result for each of them.
struct Transcript : Growing<models::Message> {};

/// The calls of the last reply whose turn has not come yet, and the results there are, both in the order of the reply.
struct OpenCalls {
    std::vector<ToolCallEvent> waiting, refused;  // the latter for good: they are beyond the budget
    std::vector<models::Message> results;
    bool ran = false;  // one of the calls has reached its tool
};
BOOST_DESCRIBE_STRUCT(OpenCalls, (), (waiting, refused, results, ran))
}
