// How an agent with native tool calls behaves. A resource, shared by all runs.
#pragma once
#include "steps/agents/common/options.hpp"

namespace weft::agents {
class AnswerForm;
struct ToolAgentOptions : ReactOptions {
    std::shared_ptr<const AnswerForm> form;  // of the answer; null: any text
};
BOOST_DESCRIBE_STRUCT(ToolAgentOptions, (ReactOptions), ())
}
