// Removes decoration from the outside to the inside; tries each form first, because a name may have dots and colons.
#include "steps/models/tool_name.hpp"
#include "engine/text/text.hpp"

namespace weft::models {
std::string tool_name(std::string_view written, const std::function<bool(std::string_view)>& is_tool) {
    if (is_tool(written)) return std::string(written);
    if (const auto token = written.find("<|"); token && token != written.npos) written = written.substr(0, token);
    written = trimmed(written);
    auto name = written;
    if (const auto mark = name.find("</"); mark && mark != name.npos) name = name.substr(0, mark);
    name = trimmed(name, " \t\r\n`'\"*()[]<>");
    if (is_tool(name)) return std::string(name);
    const auto digits = name.find_last_not_of("0123456789");
    if (digits != name.npos && name[digits] == ':') name = name.substr(0, digits);
    if (name.ends_with(".call")) name.remove_suffix(5);
    name.remove_prefix(name.find_last_of(".:/=") + 1);  // without a match: npos + 1 is 0
    constexpr std::string_view language = "json";
    if (!is_tool(name) && name.ends_with(language)) name.remove_suffix(language.size());
    return std::string(is_tool(name) ? name : written);
}
}
