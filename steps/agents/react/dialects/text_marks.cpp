// One pass from left to right; a text that does not fit is not a mark.
#include "steps/agents/react/dialects/text_marks.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include <algorithm>

namespace weft::agents::inline react_steps {
namespace {
constexpr std::string_view wide_bar = "\uFF5C", low_block = "\u2581";
constexpr std::string_view call_words[] = {"tool",      "tools",        "toolcall", "toolcalls", "function",
                                           "functions", "functioncall", "call",     "calls",     "action",
                                           "actions",   "invoke",       "python",   "arg",       "args",
                                           "constrain", "argument",     "param",    "parameter", "plugin"};

bool is_quote(char c) { return c == '"' || c == '\''; }

class MarkReader {
public:
    explicit MarkReader(std::string_view text) : text_(text.substr(0, 200)) {}
    Mark read() {
        const bool square = take('[');
        if (!square && !take('<')) return {};
        mark_.special = square;
        mark_.closes = take('/');
        while (take_bar()) mark_.special = true;
        mark_.closes = take('/') || mark_.closes;
        if (square && !is_upper(peek())) return {};
        name();
        // A prefix, as in <minimax:invoke>, <｜DSML｜invoke> and <function/add>
        while (!mark_.name.empty() && !square && (take(':') || take('/') || (peek() != '>' && take_bar()))) {
            if (peek() == '>') break;
            mark_.name.clear();
            name();
        }
        const bool whole = !mark_.name.empty() && (square ? take(']') : rest());
        if (!whole) return {};
        mark_.closes = mark_.closes || mark_.name.starts_with("end_") || mark_.name.ends_with("_end");
        mark_.size = at_;
        return std::move(mark_);
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool take(std::string_view what) {
        if (!text_.substr(at_).starts_with(what)) return false;
        at_ += what.size();
        return true;
    }
    bool take_bar() { return take('|') || take(wide_bar); }
    void skip_blanks() {
        while (at_ < text_.size() && is_blank(peek())) ++at_;
    }
    void name() {
        for (;;) {
            if (is_letter(peek()) || is_digit(peek()) || peek() == '_' || peek() == '-' || peek() == '.')
                mark_.name += lower(text_[at_++]);
            else if (take(low_block)) mark_.name += '_';
            else return;
        }
    }
    std::string value() {
        const char quote = is_quote(peek()) ? text_[at_++] : '\0';
        const auto begin = at_;
        while (at_ < text_.size() &&
               (quote ? peek() != quote && peek() != '<' && peek() != '\n' : is_tool_name(peek())))
            ++at_;
        std::string value(text_.substr(begin, at_ - begin));
        return quote && !take(quote) ? std::string() : value;
    }
    /// Reads the value, the attributes and the end. Some models omit the end before arguments: <function=add{"a": 1}
    bool rest() {
        if (peek() == '=' || peek() == '(') {
            const bool round = text_[at_++] == '(';
            mark_.value = value();
            if (round) take(')');
            skip_blanks();
            return !mark_.value.empty() && (take('>') || peek() == '{' || peek() == '(');
        }
        while (at_ < text_.size()) {
            skip_blanks();
            while (take('/') || take_bar()) {}
            if (take('>')) return true;
            const auto begin = at_;
            while (is_letter(peek()) || peek() == '_' || peek() == '-') ++at_;
            const auto key = text_.substr(begin, at_ - begin);
            if (key.empty() || !take('=') || !is_quote(peek())) return false;
            auto text = value();
            if (key == "name" || key == "tool" || key == "key") mark_.value = std::move(text);
        }
        return false;
    }
    const std::string_view text_;
    std::size_t at_ = 0;
    Mark mark_;
};
}

bool is_tool_name(char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == ':' || c == '/';
}
bool Mark::tells_call() const {
    std::size_t words = 0;
    bool any = false;
    for (std::size_t begin = 0; begin <= name.size(); ++words) {
        const auto end = std::min(name.find_first_of("_-", begin), name.size());
        const auto word = std::string_view(name).substr(begin, end - begin);
        any = any || std::find(std::begin(call_words), std::end(call_words), word) != std::end(call_words);
        begin = end + 1;
    }
    return any && (special || closes || words > 1 || !value.empty() || name == "tools" ||
                   name.starts_with("toolcall") || name.starts_with("functioncall"));
}
Mark read_mark(std::string_view text) { return MarkReader(text).read(); }
}
