// The options of an agent with native tool calls. A resource, shared by all runs.
#pragma once
#include "steps/agents/common/options.hpp"
#include <string_view>

namespace weft::agents {
class AnswerForm;
}
namespace weft::agents::inline native_steps {
struct ToolAgentOptions : ReactOptions {
    std::shared_ptr<const AnswerForm> form;  // form of the answer; null: any text
    static constexpr std::string_view undescribed_fields[] = {"form"};
};
BOOST_DESCRIBE_STRUCT(ToolAgentOptions, (ReactOptions), ())
}
