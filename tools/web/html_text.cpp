// Reads each character once, however broken the markup is; a '<' that begins no tag stays.
#include "tools/web/html_text.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace weft::tools {
namespace {
using namespace std::string_view_literals;
constexpr std::array unseen{"script"sv, "style"sv, "template"sv, "svg"sv, "noscript"sv, "iframe"sv, "textarea"sv};
constexpr std::array blocks{"address"sv, "article"sv, "aside"sv,   "blockquote"sv, "body"sv,   "br"sv,     "caption"sv,
                            "dd"sv,      "div"sv,     "dl"sv,      "dt"sv,         "figure"sv, "footer"sv, "form"sv,
                            "header"sv,  "hr"sv,      "li"sv,      "main"sv,       "nav"sv,    "ol"sv,     "option"sv,
                            "pre"sv,     "section"sv, "summary"sv, "table"sv,      "tr"sv,     "ul"sv};
constexpr std::array paragraphs{"h1"sv, "h2"sv, "h3"sv, "h4"sv, "h5"sv, "h6"sv, "p"sv, "title"sv};
struct Entity {
    std::string_view name, text;
};
constexpr Entity entities[]{{"amp", "&"},         {"lt", "<"},         {"gt", ">"},          {"quot", "\""},
                            {"apos", "'"},        {"nbsp", " "},       {"ndash", "\u2013"},  {"mdash", "\u2014"},
                            {"hellip", "\u2026"}, {"lsquo", "\u2018"}, {"rsquo", "\u2019"},  {"ldquo", "\u201C"},
                            {"rdquo", "\u201D"},  {"laquo", "\u00AB"}, {"raquo", "\u00BB"},  {"euro", "\u20AC"},
                            {"copy", "\u00A9"},   {"times", "\u00D7"}, {"middot", "\u00B7"}, {"deg", "\u00B0"}};

template <std::size_t n> bool among(const std::array<std::string_view, n>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

std::string utf8_of(std::uint32_t c) {
    const auto part = [c](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c == 0 || (c >= 0xD800 && c < 0xE000) || c > 0x10FFFF) return "\uFFFD";
    if (c < 0x80) return {static_cast<char>(c)};
    if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), part(0)};
    if (c < 0x10000) return {static_cast<char>(0xE0 | (c >> 12)), part(6), part(0)};
    return {static_cast<char>(0xF0 | (c >> 18)), part(12), part(6), part(0)};
}
/// The character for the text between '&' and ';'. Empty if unknown.
std::string meaning(std::string_view name) {
    if (name.starts_with('#')) {
        const bool hex = name.size() > 1 && lower(name[1]) == 'x';
        name.remove_prefix(hex ? 2 : 1);
        std::uint32_t value = 0;
        if (name.empty() || name.size() > 7) return {};
        for (const char c : name) {
            if (!(hex ? is_hex_digit(c) : is_digit(c))) return {};
            value = value * (hex ? 16 : 10) + static_cast<std::uint32_t>(hex_value(c));
        }
        return utf8_of(value);
    }
    const auto at = std::find_if(std::begin(entities), std::end(entities), [&](auto& e) { return e.name == name; });
    return at == std::end(entities) ? std::string() : std::string(at->text);
}

class HtmlReducer {
public:
    explicit HtmlReducer(std::string_view page) : page_(page) {}
    std::string run() {
        while (at_ < page_.size()) {
            if (page_[at_] == '<' && skip_markup()) continue;
            if (page_[at_] == '&' && take_entity()) continue;
            put(page_[at_++]);
        }
        return repair_utf8(out_);
    }

private:
    void skip_past(std::string_view end) {
        const auto found = page_.find(end, at_);
        at_ = found == page_.npos ? page_.size() : found + end.size();
    }
    /// False: a plain '<'.
    bool skip_markup() {
        const auto rest = page_.substr(at_);
        if (rest.starts_with("<!--")) return at_ += 4, skip_past("-->"), true;
        if (rest.starts_with("<!") || rest.starts_with("<?")) return skip_past(">"), true;
        const bool closing = rest.starts_with("</");
        auto end = closing ? 2u : 1u;
        if (end >= rest.size() || !is_letter(rest[end])) return false;
        std::string name;
        for (; end < rest.size() && is_letter_or_digit(rest[end]); ++end)
            if (name.size() < 16) name += lower(rest[end]);
        at_ += end;
        skip_attributes();
        if (!closing && among(unseen, name)) skip_element(name);
        else if (name == "pre") pre_ = !closing, lines(1);
        else if (among(paragraphs, name)) lines(2);
        else if (among(blocks, name)) lines(1);
        else if (name == "td" || name == "th") put(' ');
        if (!closing && name == "li") out_ += "- ", blank_ = true;
        return true;
    }
    void skip_attributes() {  // ignores '>' in quotes
        while (at_ < page_.size() && page_[at_] != '>') {
            const char c = page_[at_++];
            if (c == '"' || c == '\'') skip_past({&c, 1});
        }
        ++at_;
    }
    void skip_element(std::string_view name) {
        for (skip_past("</"); at_ < page_.size(); skip_past("</")) {
            const auto found = page_.substr(at_, name.size());
            if (std::equal(found.begin(), found.end(), name.begin(), name.end(),
                           [](char a, char b) { return lower(a) == b; }))
                return skip_past(">");
        }
    }
    bool take_entity() {
        constexpr std::size_t longest = 10;
        const auto name = page_.substr(at_ + 1, longest);
        const auto end = name.find(';');
        const auto text = end == name.npos ? std::string() : meaning(name.substr(0, end));
        if (text.empty()) return false;
        for (const char c : text) put(c);
        at_ += end + 2;
        return true;
    }
    void put(char c) {
        if (pre_ && (c == '\n' || c == ' ')) out_ += c, blank_ = true;
        else if (!is_blank(c)) out_ += c, blank_ = false;
        else if (!blank_) out_ += ' ', blank_ = true;
    }
    /// Ends the text with this number of line breaks; none at the beginning.
    void lines(std::size_t breaks) {
        while (!out_.empty() && out_.back() == ' ') out_.pop_back();
        std::size_t there = 0;
        while (there < std::min(breaks, out_.size()) && out_[out_.size() - 1 - there] == '\n') ++there;
        if (!out_.empty()) out_.append(breaks - there, '\n');
        blank_ = true;
    }
    const std::string_view page_;
    std::size_t at_ = 0;
    std::string out_;
    bool blank_ = true;  // drop the next blank
    bool pre_ = false;
};
}

std::string html_text(std::string_view page) {
    auto text = HtmlReducer(page).run();
    while (!text.empty() && is_blank(text.back())) text.pop_back();
    return text;
}
}
