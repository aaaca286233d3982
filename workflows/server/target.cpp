// A plus in a query is a blank, as in forms; a plus in a path is a plus.
#include "workflows/server/target.hpp"
#include "engine/net/url.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>

namespace weft::server {
namespace {
constexpr std::size_t most_parts = 16, most_parameters = 64;

std::optional<std::string> decode(std::string_view text, bool plus_is_blank) {
    std::string with_blanks;
    if (plus_is_blank && text.find('+') != text.npos) {
        with_blanks = text;
        std::ranges::replace(with_blanks, '+', ' ');  // must precede the decoding of %2B
        text = with_blanks;
    }
    auto plain = net::percent_decoded(text);
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    if (plain && (std::ranges::any_of(*plain, is_control) || !is_utf8(*plain))) plain.reset();
    return plain;
}
/// The name without the brackets of a list: status[] and status[0] are status.
void cut_brackets(std::string& name) {
    if (!name.ends_with(']')) return;
    const auto open = name.rfind('[');
    if (open == name.npos || open == 0) return;
    if (name.find_first_not_of("0123456789", open + 1) == name.size() - 1) name.resize(open);
}
bool add_parameter(Target& target, std::string_view text) {
    const auto equals = std::min(text.find('='), text.size());
    auto name = decode(text.substr(0, equals), true);
    auto value = decode(text.substr(std::min(equals + 1, text.size())), true);
    if (!name || !value || target.query.size() == most_parameters) return false;
    if (value->empty()) return true;  // clients send null as an empty value
    cut_brackets(*name);
    target.query.emplace_back(std::move(*name), std::move(*value));
    return true;
}
}

const std::string* Target::first(std::string_view name) const {
    const auto at = std::ranges::find(query, name, [](const auto& each) { return std::string_view(each.first); });
    return at == query.end() ? nullptr : &at->second;
}
std::vector<std::string> Target::all(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& [key, value] : query)
        if (key == name) values.push_back(value);
    return values;
}
std::optional<Target> parse_target(std::string_view text) {
    Target target;
    auto path = cut_at(text, '?');
    if (!path.starts_with('/')) return {};
    path.remove_prefix(1);
    while (!path.empty()) {
        auto part = decode(cut_at(path, '/'), false);
        if (!part || target.path.size() == most_parts) return {};
        target.path.push_back(std::move(*part));
    }
    while (!text.empty())
        if (const auto one = cut_at(text, '&'); !one.empty() && !add_parameter(target, one)) return {};
    return target;
}
}
