// After a brace only a name and a colon make an object worth parsing; a broken one is looked into a few times only,
// which keeps the time linear.
#include "steps/agents/react/dialects/object_finder.hpp"

namespace weft::agents {
namespace {
constexpr std::size_t max_name = 64;
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '$' || c == ' ';
}
}

bool ObjectFinder::is_object(std::size_t brace) {
    auto at = brace + 1;
    const auto skip_blanks = [&] {
        while (at < text_.size() && is_blank(text_[at])) ++at;
    };
    skip_blanks();
    const char first = at < text_.size() ? text_[at] : '\0';
    const bool quoted = first == '"' || first == '\'';
    if (quoted) ++at;
    const auto begin = at;
    while (at < text_.size() && is_name(text_[at]) && at - begin < max_name) ++at;
    bool object = at > begin;
    if (quoted) object = object && at < text_.size() && text_[at++] == first;
    skip_blanks();
    object = object && at < text_.size() && text_[at] == ':';
    examined_ += at - brace;
    return object;
}
std::optional<ObjectFinder::Found> ObjectFinder::next() {
    for (;;) {
        const auto brace = text_.find('{', position_);
        examined_ += std::min(brace, text_.size()) - position_;
        if (brace == text_.npos) {
            position_ = text_.size();
            return std::nullopt;
        }
        position_ = brace + 1;
        if (!is_object(brace)) continue;
        auto got = lenient_prefix(text_.substr(brace));
        examined_ += got.examined;
        Found found{.begin = brace, .end = brace + got.end, .json = std::move(got.json), .error = got.error};
        if (found.ok() || looks_inside_-- <= 0) position_ = std::max(position_, found.end);
        return found;
    }
}
}
