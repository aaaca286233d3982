// Reads the marks that chat templates put around a call: <tool_call>, </function>, <invoke name="add">, <|python_tag|>,
// <function=add>, [TOOL_CALLS], also with full-width bars and with prefixes such as <minimax:tool_call>.
//
//     auto mark = read_mark("<parameter=\"city\">Paris");     // name parameter, value city, size 18
//     mark.size;                                            // 0: the text does not begin with a mark
//
// Pure. Examines at most 200 bytes.
#pragma once
#include <string>
#include <string_view>

namespace weft::agents::inline react_steps {
struct Mark {
    std::string name;                      // lower case
    std::string value;                     // text after =, or the value of the attribute `name`
    bool closes = false, special = false;  // special: with bars or in brackets, which prose never has
    std::size_t size = 0;
    /// True if the mark announces a call, unlike tags of other texts.
    bool tells_call() const;
};
Mark read_mark(std::string_view text);
/// True for a character of a tool's name with its prefixes, such as functions.add:0
bool is_tool_name(char);
}
