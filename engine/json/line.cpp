// The three separators in UTF-8 are C2 85, E2 80 A8 and E2 80 A9; most texts have no C2 or E2, which is quick to see.
#include "engine/json/line.hpp"
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace weft {
namespace {
using Separator = std::pair<std::string_view, std::string_view>;
constexpr std::array<Separator, 3> separators{Separator{"\xC2\x85", "\\u0085"}, Separator{"\xE2\x80\xA8", "\\u2028"},
                                              Separator{"\xE2\x80\xA9", "\\u2029"}};
const Separator* separator_at(std::string_view text) {
    for (const auto& one : separators)
        if (text.starts_with(one.first)) return &one;
    return nullptr;
}
std::size_t find_separator(std::string_view text, std::size_t from) {
    while ((from = text.find_first_of("\xC2\xE2", from)) != text.npos && !separator_at(text.substr(from))) ++from;
    return from;
}
/// Replaces each separator by the result of `by`.
template <class By> std::string replaced(std::string text, By by) {
    auto at = find_separator(text, 0);
    if (at == text.npos) return text;
    std::string out;
    std::size_t begin = 0;
    for (; at != text.npos; at = find_separator(text, begin)) {
        const auto* found = separator_at(std::string_view(text).substr(at));
        out.append(text, begin, at - begin).append(by(*found));
        begin = at + found->first.size();
    }
    return out.append(text, begin);
}
template <class Json> std::string written(const Json& value) {
    return as_one_line(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}
}

std::string json_line(const nlohmann::json& value) { return written(value); }
std::string json_line(const nlohmann::ordered_json& value) { return written(value); }
std::string as_one_line(std::string text) {
    return replaced(std::move(text), [](const Separator& found) { return found.second; });
}
std::string with_line_breaks(std::string text) {
    return replaced(std::move(text), [](const Separator&) { return std::string_view("\n"); });
}
}
