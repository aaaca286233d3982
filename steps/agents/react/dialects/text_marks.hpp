// The marks that chat templates put around a call: <tool_call>, </function>, <invoke name="add">, <|python_tag|>,
// <function=add>, [TOOL_CALLS], with full-width bars and with prefixes such as <minimax:tool_call>, in one form.
//
//     auto mark = read_mark("<parameter=\"city\">Paris");     // name parameter, value city, size 18
//     mark.size;                                            // 0: the text does not begin with a mark
//
// Pure. At most 200 bytes are looked at.
#pragma once
#include <string>
#include <string_view>

namespace weft::agents::inline react_steps {
struct Mark {
    std::string name;                      // in small letters
    std::string value;                     // behind = or in the attribute called name
    bool closes = false, special = false;  // special: with bars or in brackets, as prose never has it
    std::size_t size = 0;
    /// Whether it says that a call stands here, as tags of other texts do not.
    bool tells_call() const;
};
Mark read_mark(std::string_view text);
/// Letters, digits and what else stands in the name of a tool with its prefixes: functions.add:0
bool is_tool_name(char);
}
