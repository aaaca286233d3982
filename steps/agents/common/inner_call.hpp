// A call among the arguments of another: add(a=multiply(a=2, b=3), b=1). Only a dialect with such a form makes them,
// apart from the arguments, so no text in arguments can become a call.
#pragma once
#include "engine/describe.hpp"
#include "engine/json/text.hpp"
#include "steps/agents/common/approval.hpp"
#include <string>
#include <vector>

namespace weft::agents {
inline constexpr int max_calls = 16, max_call_depth = 8;  // limits of one action, the outermost call included

struct InnerCall {
    std::string tool;
    JsonText arguments;
    int into = 0;       // receiver of the result: index of a later call, or the number of calls for the outermost
    std::string place;  // JSON pointer to the result's place in the receiver's arguments, which has a filler until then
    Approval approval = Approval::none;
    std::string note = {};  // for the model, as ToolCallEvent::note
    static constexpr std::string_view optional_fields[] = {"approval", "note"};
};
BOOST_DESCRIBE_STRUCT(InnerCall, (), (tool, arguments, into, place, approval, note))
}
