// The events and slots of the agent that calls tools through the model's protocol. It starts, streams and ends with the
// same events as the react agent (steps/agents/common/events.hpp), so one reader serves both.
#pragma once
#include "steps/agents/common/events.hpp"

namespace weft::agents::inline native_steps {
/// The model's turn, with the transcript as its input.
struct AskEvent {};
BOOST_DESCRIBE_STRUCT(AskEvent, (), ())

/// The model or its server cannot call tools: the question goes to an agent that writes calls as text.
struct TextAgentEvent {
    std::string question;
};
BOOST_DESCRIBE_STRUCT(TextAgentEvent, (), (question))

/// The messages of this run, from its question on: replies with their calls, and a result for each call.
struct Transcript : Growing<models::Message> {};

/// The last reply's calls that have not run yet, and the results so far, both in the order of the reply.
struct OpenCalls {
    std::vector<ToolCallEvent> waiting, refused;  // refused ones exceed the budget and never run
    std::vector<models::Message> results;
    bool ran = false;  // one of the calls has reached its tool
};
BOOST_DESCRIBE_STRUCT(OpenCalls, (), (waiting, refused, results, ran))
}
