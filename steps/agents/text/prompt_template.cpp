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
    std::size_t begin = 0;
    for (auto brace = text_.find('{'); brace != text_.npos; brace = text_.find('{', brace + 1))
        if (const auto name = place_at(text_, brace); !name.empty()) {
            parts_.push_back({begin, brace - begin, false});
            parts_.push_back({brace + 1, name.size(), true});
            begin = brace + name.size() + 2;
        }
    parts_.push_back({begin, text_.size() - begin, false});
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
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const TemplatePart& part) { return part.is_place && text_of(part) == place; });
}
std::vector<std::string> PromptTemplate::places() const {
    std::vector<std::string> names;
    for (const auto& part : parts_)
        if (part.is_place && std::find(names.begin(), names.end(), text_of(part)) == names.end())
            names.emplace_back(text_of(part));
    return names;
}
std::string PromptTemplate::render(const PlaceValues& values) const {
    const auto value_of = [&](const TemplatePart& part) {
        if (!part.is_place) return text_of(part);
        const auto has_name = [name = text_of(part)](const auto& value) { return value.first == name; };
        const auto found = std::find_if(values.begin(), values.end(), has_name);
        return found == values.end() ? std::string_view() : found->second;
    };
    auto size = text_.size();
    for (const auto& [name, value] : values) size += value.size();
    std::string out;
    out.reserve(size);
    for (const auto& part : parts_) out += value_of(part);
    return out;
}
}
