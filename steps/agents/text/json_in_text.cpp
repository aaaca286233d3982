// The reader starts only at a brace that may begin an object. Rereading the inside of broken objects could take
// quadratic time, so it stops after a number of examined characters.
#include "steps/agents/text/json_in_text.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/quotes.hpp"
#include "engine/text/text.hpp"
#include <algorithm>

namespace weft::agents {
namespace {
constexpr std::size_t max_name = 64;  // bytes of a name without quotes
// Bounds of the full search: examinations of each character, and a number of characters for short texts.
constexpr std::size_t looks = 6, unhurried = 16 << 10;

bool is_in_name(char c) { return is_word_part(c) || c == '-' || c == '$' || c == ' '; }

/// Checks one object after the other, and keeps the mistake of the closest one.
class Search {
public:
    explicit Search(const FindMistake& find_mistake) : find_mistake_(find_mistake) {}
    bool accepts(const ObjectFinder::FoundObject& found) {
        if (found.ok()) return accepts(parse_json(found.json));
        if (found.is_unclosed) complain(1, "the JSON object is not closed");
        else if (found.is_too_deep) complain(2, "the JSON object has more than 64 levels of brackets");
        else complain(2, "the JSON object is broken: " + found.error);
        return false;
    }
    const std::string& complaint() const { return complaint_; }

private:
    /// True if the value, or one inside it, is the wanted object.
    bool accepts(const nlohmann::json& value) {
        if (value.is_object()) {
            auto mistake = find_mistake_(value);
            if (mistake.empty()) return true;
            complain(3, std::move(mistake));
        }
        return value.is_structured() &&
               std::any_of(value.begin(), value.end(), [this](const auto& inner) { return accepts(inner); });
    }
    void complain(int closeness, std::string complaint) {
        if (closeness <= closeness_) return;
        closeness_ = closeness;
        complaint_ = std::move(complaint);
    }
    const FindMistake& find_mistake_;
    std::string complaint_;
    int closeness_ = 0;
};
}

bool ObjectFinder::begins_object(std::size_t brace) {
    auto at = brace + 1;
    const auto skip_blanks = [&] {
        while (at < text_.size() && is_blank(text_[at])) ++at;
        return text_.substr(at);
    };
    const auto rest = skip_blanks();
    bool is_object = true;
    if (rest.starts_with('"') || rest.starts_with('\'')) {
        const char ends[] = {rest.front(), '\n', '\\', '\0'};
        at = text_.find_first_of(ends, at + 1);
        while (at < text_.size() && text_[at] == '\\') at = text_.find_first_of(ends, at + 2);
        at = std::min(at, text_.size());
        is_object = at < text_.size() && text_[at++] == rest.front() && skip_blanks().starts_with(':');
    } else if (!rest.starts_with('}') && !rest.starts_with('#') && !rest.starts_with("//") && !rest.starts_with("/*")) {
        const auto begin = at;
        while (at < text_.size() && is_in_name(text_[at]) && at - begin < max_name) ++at;
        is_object = at > begin && skip_blanks().starts_with(':');
    }
    examined_ += at - brace;
    return is_object;
}
/// The position after the bracket that closes an object with max_lenient_depth open levels; npos if there is none.
std::size_t ObjectFinder::end_of_deep(std::size_t at) {
    const auto begin = at;
    auto end = text_.npos;
    for (auto depth = max_lenient_depth; at < text_.size() && end == text_.npos; ++at) {
        const char c = text_[at];
        if (c == '{' || c == '[') ++depth;
        else if ((c == '}' || c == ']') && --depth == 0) end = at + 1;
        else if (c == '"') at = after_quotes(text_, at) - 1;
    }
    examined_ += std::min(at, text_.size()) - begin;
    return end;
}
ObjectFinder::FoundObject ObjectFinder::read(std::size_t brace) {
    auto got = lenient_prefix(text_.substr(brace));
    examined_ += got.examined;
    const auto end = brace + got.end;
    const bool is_unclosed = !got.ok() && end >= text_.size();
    FoundObject found{brace, end, std::move(got.json), std::move(got.error), is_unclosed, got.too_deep};
    const bool hurries = examined_ > unhurried + looks * text_.size();
    bool is_passed = found.ok() || hurries;
    if (found.is_too_deep && !hurries)
        if (const auto closed = end_of_deep(found.end); closed != text_.npos) {
            found.end = closed;
            is_passed = true;
        }
    if (is_passed) position_ = std::max(position_, found.end);
    return found;
}
std::optional<ObjectFinder::FoundObject> ObjectFinder::next() {
    for (;;) {
        const auto brace = text_.find('{', position_);
        examined_ += std::min(brace, text_.size()) - position_;
        if (brace == text_.npos) {
            position_ = text_.size();
            return std::nullopt;
        }
        position_ = brace + 1;
        if (begins_object(brace)) return read(brace);
    }
}

JsonInText find_json(std::string_view text, const FindMistake& find_mistake) {
    if (text.size() > max_lenient_size) return {"the reply is longer than 1 MB", 0};
    ObjectFinder finder(text);
    Search search(find_mistake);
    while (const auto found = finder.next())
        if (search.accepts(*found)) return {{}, finder.examined()};
    if (!search.complaint().empty()) return {search.complaint(), finder.examined()};
    if (is_blank(text)) return {"the reply is empty", finder.examined()};
    // A model that takes its reply for a string in JSON escapes the quotes.
    const bool is_escaped = text.find(R"({\")") != text.npos;
    return {is_escaped ? R"(the quotes of the JSON object are escaped; write " in place of \")"
                       : "there is no JSON object in the reply",
            finder.examined()};
}
}
