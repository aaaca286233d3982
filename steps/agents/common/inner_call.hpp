// A call that stands among the arguments of another: add(a=multiply(a=2, b=3), b=1). Only a dialect that has such a
// form makes them, apart from the arguments, so that no text in arguments can ever be taken for a call.
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
    int into = 0;  // which call takes the result: the number of a later one, or how many there are for the outermost
    std::string place;  // where in that call's arguments: a JSON pointer to what stands there until the result is known
    Approval approval = Approval::none;
    std::string note = {};  // for the model, as that of the outermost call
    static constexpr std::string_view optional_fields[] = {"approval", "note"};
};
BOOST_DESCRIBE_STRUCT(InnerCall, (), (tool, arguments, into, place, approval, note))
}
