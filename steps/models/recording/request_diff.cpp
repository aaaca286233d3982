// Compares documents as lists of leaves, one per line, because people look for a word rather than a tree.
#include "steps/models/recording/request_diff.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/recording/line_diff.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::models {
namespace {
using nlohmann::json;
constexpr std::size_t most_places = 4;

/// Adds the non-empty leaves of a document, one line each; a text with line breaks takes several lines.
void add_lines(const json& value, const std::string& place, std::vector<DiffLine>& lines) {
    const auto* text = value.get_ptr<const std::string*>();
    if (value.is_null() || (text && text->empty()) || (value.is_structured() && value.empty())) return;
    if (value.is_object()) {
        for (const auto& [name, member] : value.items())
            add_lines(member, place.empty() ? name : place + "." + name, lines);
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i)
            add_lines(value[i], place + "[" + std::to_string(i) + "]", lines);
    } else if (!value.is_string()) {
        lines.push_back({place, place + ": " + value.dump()});
    } else if (std::string_view text = value.get_ref<const std::string&>(); text.find('\n') == text.npos) {
        lines.push_back({place, place + ": " + std::string(text)});
    } else {
        lines.push_back({place, place + ":"});
        for (std::size_t end; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
            end = std::min(text.find('\n'), text.size());
            lines.push_back({place, "  " + std::string(text.substr(0, end))});
        }
    }
}
std::vector<DiffLine> lines_of(const json& request) {
    std::vector<DiffLine> lines;
    add_lines(request, "", lines);
    return lines;
}
/// Adds the places of the smallest parts that differ, named as in add_lines.
void add_places(const json& a, const json& b, const std::string& place, std::vector<std::string>& places) {
    if (a == b) return;
    if (a.is_object() && b.is_object()) {
        for (const auto& [name, member] : a.items())
            add_places(member, b.value(name, json()), place.empty() ? name : place + "." + name, places);
        for (const auto& [name, member] : b.items())
            if (!a.contains(name)) places.push_back(place.empty() ? name : place + "." + name);
    } else if (a.is_array() && b.is_array()) {
        for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
            const auto here = place + "[" + std::to_string(i) + "]";
            if (i >= a.size()) places.push_back(here + " (new)");
            else if (i >= b.size()) places.push_back(here + " (missing)");
            else add_places(a[i], b[i], here, places);
        }
    } else {
        places.push_back(place);
    }
}
}

std::string request_diff(std::string_view recorded, std::string_view asked) {
    const auto a = json::parse(recorded), b = json::parse(asked);
    std::vector<std::string> places;
    add_places(a, b, "", places);
    std::string text;
    for (std::size_t i = 0; i < std::min(places.size(), most_places); ++i)
        text += (i ? ", " : "") + excerpt(places[i], 100);
    if (places.size() > most_places) text += " and " + std::to_string(places.size() - most_places) + " more";
    text += places.size() == 1 ? " differs:\n" : " differ:\n";
    return text + "--- recorded\n+++ asked\n" + line_diff(lines_of(a), lines_of(b));
}
std::size_t common_messages(std::string_view recorded, std::string_view asked) {
    const auto a = json::parse(recorded), b = json::parse(asked);
    const auto &old = a.at("messages"), &fresh = b.at("messages");
    const auto shorter = std::min(old.size(), fresh.size());
    std::size_t common = 0;
    while (common < shorter && old[common] == fresh[common]) ++common;
    return common;
}
}
