// A brace is a place only before a lower-case name and a closing brace, so JSON in a prompt needs no escapes.
#include "steps/agents/text/prompt_template.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>

namespace weft::agents {
namespace {
constexpr std::size_t longest_template = 256 << 10;

/// The name of the place at this brace; empty if the brace is text.
std::string_view place_at(std::string_view text, std::size_t brace) {
    auto end = brace + 1;
    while (end < text.size() && (is_lower(text[end]) || text[end] == '_')) ++end;
    if (end == text.size() || text[end] != '}') return {};
    return text.substr(brace + 1, end - brace - 1);
}
/// Calls `plain` with the text between the places and `place` with their names.
template <class Plain, class Place> void walk(std::string_view text, Plain plain, Place place) {
    std::size_t begin = 0;
    for (auto brace = text.find('{'); brace != text.npos; brace = text.find('{', brace + 1))
        if (const auto name = place_at(text, brace); !name.empty()) {
            plain(text.substr(begin, brace - begin));
            place(name);
            begin = brace + name.size() + 2;
        }
    plain(text.substr(begin));
}
void list(std::string& sentence, std::string_view what, const std::vector<std::string_view>& names) {
    if (names.empty()) return;
    if (!sentence.empty()) sentence += "; ";
    sentence += what;
    for (const auto name : names) ((sentence += " {") += name) += '}';
}
}

PromptTemplate::PromptTemplate(std::string text, const std::vector<std::string_view>& needed,
                               const std::vector<std::string_view>& optional)
    : text_(std::move(text)) {
    if (text_.size() > longest_template) throw Error(Code::configuration, "the template is longer than 256 KB");
    if (!is_utf8(text_)) throw Error(Code::configuration, "the template is not UTF-8: save it as that");
    auto known = needed;
    known.insert(known.end(), optional.begin(), optional.end());
    const auto seen = places();
    std::vector<std::string_view> unknown, missing;
    for (const auto& name : seen)
        if (std::find(known.begin(), known.end(), name) == known.end()) unknown.push_back(name);
    for (const auto name : needed)
        if (std::find(seen.begin(), seen.end(), name) == seen.end()) missing.push_back(name);
    std::string sentence;
    list(sentence, "the template has places that nothing is known for:", unknown);
    list(sentence, "the template lacks", missing);
    if (sentence.empty()) return;
    list(sentence, "what it may use is", known);
    throw Error(Code::configuration, sentence);
}
bool PromptTemplate::has(std::string_view place) const {
    const auto all = places();
    return std::find(all.begin(), all.end(), place) != all.end();
}
std::vector<std::string> PromptTemplate::places() const {
    std::vector<std::string> names;
    const auto add = [&names](std::string_view name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    };
    walk(
        text_, [](std::string_view) {}, add);
    return names;
}
std::string PromptTemplate::render(const std::map<std::string_view, std::string_view>& values) const {
    std::string out;
    walk(
        text_, [&out](std::string_view plain) { out += plain; },
        [&](std::string_view name) {
            if (const auto found = values.find(name); found != values.end()) out += found->second;
        });
    return out;
}
}
