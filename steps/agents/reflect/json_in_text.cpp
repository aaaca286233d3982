// Braces are matched outside of strings and comments, from each brace that may begin an object; looks are counted, so
// that hostile text costs a bounded time.
#include "steps/agents/reflect/json_in_text.hpp"
#include "engine/json/parse.hpp"
#include "steps/agents/common/lenient_json.hpp"
#include <algorithm>

namespace weft::agents {
namespace {
constexpr std::size_t max_size = 1 << 20, max_depth = 64;  // as lenient_object has them
constexpr std::size_t looks = 32;                          // at each character, at most
constexpr std::size_t free_looks = 1 << 14;                // so that a short reply with many braces is searched through

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Search {
public:
    Search(std::string_view text, const FindMistake& find_mistake)
        : text_(text), find_mistake_(find_mistake), budget_(looks * text.size() + free_looks) {}
    JsonInText run() {
        for (auto at = text_.find('{'); at != text_.npos; at = text_.find('{', at)) {
            if (examined_ > budget_) {
                complain(3, "there are too many braces around the JSON object");
                break;
            }
            const auto begin = at++;
            if (!begins_object(begin)) continue;
            const auto end = end_of_object(begin);
            if (end == text_.npos) {
                complain(1, "the JSON object is not closed");
                continue;
            }
            if (deepest_ > max_depth) {
                complain(2, "the JSON object has more than 64 levels of brackets");
                at = end;
                continue;
            }
            if (const auto read = lenient_object(text_.substr(begin, end - begin)); !read.ok())
                complain(2, "the JSON object is broken: " + read.error);
            else if (holds(parse_json(read.json))) return {{}, examined_};
            else at = end;
        }
        if (!complaint_.empty()) return {complaint_, examined_};
        return {text_.find_first_not_of(" \t\r\n") == text_.npos ? "the reply is empty"
                                                                 : "there is no JSON object in the reply",
                examined_};
    }

private:
    /// The complaint about what comes closest to what was asked for is the one that helps.
    void complain(int closeness, std::string complaint) {
        if (closeness <= closeness_) return;
        closeness_ = closeness;
        complaint_ = std::move(complaint);
    }
    /// Whether a name, a comment or the object's end follows: `{ see below` does not begin one.
    bool begins_object(std::size_t brace) {
        auto i = brace + 1;
        while (i < text_.size() && is_blank(text_[i])) ++i;
        if (i < text_.size() && is_letter(text_[i])) {
            while (i < text_.size() && (is_letter(text_[i]) || (text_[i] >= '0' && text_[i] <= '9'))) ++i;
            while (i < text_.size() && is_blank(text_[i])) ++i;
            examined_ += i - brace;
            return i < text_.size() && text_[i] == ':';
        }
        examined_ += i - brace;
        return i < text_.size() &&
               (text_[i] == '"' || text_[i] == '\'' || text_[i] == '}' || text_[i] == '/' || text_[i] == '#');
    }
    /// Behind the brace that closes this one; npos if none does.
    std::size_t end_of_object(std::size_t brace) {
        std::size_t depth = 0, i = brace;
        deepest_ = 0;
        char before = '\0';  // the last character that is not blank
        for (; i < text_.size(); ++i) {
            const char c = text_[i];
            if (c == '"' || (c == '\'' && (before == '{' || before == '[' || before == ',' || before == ':'))) {
                i = end_of_string(i);
                if (i == text_.npos) break;
            } else if (c == '#' || (c == '/' && i + 1 < text_.size() && text_[i + 1] == '/')) {
                i = std::min(text_.find('\n', i), text_.size());
                continue;
            } else if (c == '/' && i + 1 < text_.size() && text_[i + 1] == '*') {
                i = text_.find("*/", i + 2);
                if (i == text_.npos) break;
                ++i;
                continue;
            } else if (c == '{' || c == '[') deepest_ = std::max(deepest_, ++depth);
            else if ((c == '}' || c == ']') && --depth == 0) {
                examined_ += i - brace;
                return i + 1;
            }
            if (!is_blank(c)) before = c;
        }
        examined_ += text_.size() - brace;
        return text_.npos;
    }
    std::size_t end_of_string(std::size_t quote) const {
        const char both[] = {'\\', text_[quote], '\0'};
        for (auto i = text_.find_first_of(both, quote + 1); i != text_.npos; i = text_.find_first_of(both, i + 2))
            if (text_[i] != '\\') return i;
        return text_.npos;
    }
    /// Whether this is the object that was asked for, or one of the values in it.
    bool holds(const nlohmann::json& value) {
        if (value.is_object()) {
            auto mistake = find_mistake_(value);
            if (mistake.empty()) return true;
            complain(4, std::move(mistake));
        }
        return value.is_structured() &&
               std::any_of(value.begin(), value.end(), [this](const auto& inner) { return holds(inner); });
    }
    const std::string_view text_;
    const FindMistake& find_mistake_;
    const std::size_t budget_;
    std::size_t examined_ = 0, deepest_ = 0;
    std::string complaint_;
    int closeness_ = 0;
};
}

JsonInText find_json(std::string_view text, const FindMistake& find_mistake) {
    if (text.size() > max_size) return {"the reply is longer than 1 MB", 0};
    return Search(text, find_mistake).run();
}
}
