// A recursive descent parser that writes JSON while it reads. It computes arithmetic immediately, by the calculator's
// operators. A call among the arguments becomes an InnerCall with the place for its result.
#include "steps/agents/react/dialects/call_expression.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/text/literals.hpp"
#include "tools/calculator.hpp"
#include "tools/schema/number.hpp"
#include <charconv>
#include <set>

namespace weft::agents::inline react_steps {
namespace {
constexpr std::size_t max_call_size = 1 << 20;
constexpr int max_levels = 32;

bool counts_wholly(std::string_view n) { return n.find_first_of(".eE") == n.npos; }

/// Escapes a name as a step of a JSON pointer.
std::string pointer_step(std::string_view name) {
    std::string step = "/";
    for (const char c : name) step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return step;
}

class CallReader : public Literals {
public:
    CallReader(std::string_view text, const ParametersOf& parameters)
        : Literals(text, Apostrophe::between_letters), parameters_(parameters) {}
    CallExpression read(bool closed) {
        CallExpression out;
        skip('`');
        out.tool = name();
        if (out.tool.empty()) refuse(position_, "a call begins with the name of a tool, as in add(a=1, b=2)");
        skip_blanks();
        if (!take('(')) refuse(position_, "the arguments are missing: write " + out.tool + "(), or values in between");
        const auto begin = position_ - 1;
        const bool is_closed = arguments(out.tool, 1);
        if (closed && !is_closed) refuse(begin, "the parenthesis that begins here is not closed");
        for (const auto child : children_) inner_[child].into = static_cast<int>(inner_.size());
        out.end = position_;
        while (!at_end() && (is_blank(peek()) || peek() == '`' || peek() == ';')) ++position_;
        if (!closed && !at_end()) refuse(position_, after_end());
        out.arguments = std::move(out_);
        out.inner = std::move(inner_);
        return out;
    }

    std::size_t examined() const { return position_ + again_; }

private:
    struct Number {
        std::string text;  // JSON text
        bool whole = false;
        double value() const {
            double v = 0;
            std::from_chars(text.data(), text.data() + text.size(), v);
            return v;
        }
    };
    using MaybeNumber = std::optional<Number>;  // empty: another value, which is already written

    static bool is_name(char c) { return is_word_part(c) || c == '-'; }
    void skip(char also) {
        while (!at_end() && (is_blank(peek()) || peek() == also)) ++position_;
    }
    void skip_blanks() { skip(' '); }
    std::string name() {
        const auto begin = position_;
        while (!at_end() && is_name(peek())) ++position_;
        return std::string(text_.substr(begin, position_ - begin));
    }
    const char* after_end() const {
        if (peek() == '.') return "a result has no attributes: an action is one call of a tool";
        if (peek() == ')') return "this parenthesis closes nothing";
        return "there is more after the call: an action is one call. A quote inside of text is written \\\"";
    }
    void enter(int depth) const {
        if (depth > max_levels) refuse(position_, "there are more than 32 levels of brackets and powers");
    }

    // ----- calls

    /// Reads arguments. Returns true if their closing ) is present.
    bool arguments(const std::string& tool, int depth) {
        enter(depth);
        if (calls_ == max_calls)
            refuse(position_, "there are more than 16 calls in one action: make some of them first");
        ++calls_;
        const auto parameters = parameters_(tool);
        std::set<std::string> names;
        std::size_t positional = 0;
        bool closed = false;
        out_ += '{';
        for (skip_blanks(); !at_end() && !(closed = take(')')); skip_blanks()) {
            const auto where = position_;
            const auto given = keyword();
            if (given) named_ = true;
            else if (named_) refuse(where, "a value without a name cannot follow one with a name");
            const auto name = given ? *given : parameter(tool, parameters, positional++, where);
            if (!names.insert(name).second) refuse(where, std::string(utf8_cut(name, max_quoted)) + " is given twice");
            if (names.size() > 1) out_ += ',';
            append_quoted(out_, name);
            out_ += ':';
            path_.push_back(pointer_step(name));
            if (waiting_) append_quoted(out_, *std::exchange(waiting_, std::nullopt));
            else value(depth);
            path_.pop_back();
            skip_blanks();
            if (!take(',') && !at_end() && peek() != ')')
                refuse(position_, "a comma or ) is expected here; a quote inside of text is written \\\"");
        }
        out_ += '}';
        named_ = false;
        return closed;
    }
    /// Reads the name before an =. Empty before a value, which is in waiting_ if it is a string, and else unread.
    std::optional<std::string> keyword() {
        const auto begin = position_;
        const auto is_next = [this] { return peek() == '=' && peek(1) != '='; };
        if (is_quote(peek())) {
            auto text = string();
            skip_blanks();
            if (is_next()) {
                take('=');
                return text;
            }
            waiting_ = std::move(text);
            return std::nullopt;
        }
        if (!begins_word(peek())) return std::nullopt;
        auto word = name();
        skip_blanks();
        if (is_next()) {
            take('=');
            return word;
        }
        again_ += position_ - begin;
        position_ = begin;
        return std::nullopt;
    }
    static std::string parameter(const std::string& tool, const std::optional<std::vector<std::string>>& names,
                                 std::size_t index, std::size_t where) {
        if (!names) return std::to_string(index + 1);
        if (index < names->size()) return (*names)[index];
        std::string all;
        for (const auto& name : *names) (all += all.empty() ? " (" : ", ") += name;
        refuse(where, tool + " takes " + std::to_string(names->size()) + (names->size() == 1 ? " value" : " values") +
                          (all.empty() ? "" : all + ")") + ": this is one too many");
    }
    void inner_call(const std::string& tool, std::size_t begin, int depth) {
        if (++call_depth_ > max_call_depth) refuse(begin, "there are more than 8 calls in each other");
        auto outer = std::exchange(out_, {});
        auto outer_path = std::exchange(path_, {});
        auto outer_children = std::exchange(children_, {});
        const auto outer_named = std::exchange(named_, false);
        arguments(tool, depth + 1);
        for (const auto child : children_) inner_[child].into = static_cast<int>(inner_.size());
        path_ = std::move(outer_path);
        children_ = std::move(outer_children);
        children_.push_back(inner_.size());
        InnerCall call;
        call.tool = tool;
        for (const auto& step : path_) call.place += step;
        call.arguments.text = std::exchange(out_, std::move(outer));
        inner_.push_back(std::move(call));
        append_quoted(out_, text_.substr(begin, position_ - begin));
        named_ = outer_named;
        --call_depth_;
    }

    // ----- values

    void value(int depth) {
        if (const auto number = sum(depth)) out_ += number->text;
    }
    MaybeNumber sum(int depth) {
        auto left = product(depth);
        for (skip_blanks(); peek() == '+' || peek() == '-'; skip_blanks()) {
            const auto where = position_++;
            left = operate(text_[where], left, product(depth), where);
        }
        return left;
    }
    MaybeNumber product(int depth) {
        auto left = factor(depth);
        for (skip_blanks(); peek() == '*' || peek() == '/' || peek() == '%'; skip_blanks()) {
            const auto where = position_++;
            if (peek() == '/') refuse(where, "there is no operator //: divide with /");
            left = operate(text_[where], left, factor(depth), where);
        }
        return left;
    }
    MaybeNumber factor(int depth) {
        skip_blanks();
        const auto where = position_;
        bool negative = false, sign = false;
        for (; peek() == '-' || peek() == '+'; skip_blanks()) {
            sign = true;
            negative ^= text_[position_++] == '-';
        }
        auto got = power(depth);
        if (sign && !got) refuse(where, "only a number can have a sign");
        if (!negative) return got;
        if (got->text.front() == '-') got->text.erase(0, 1);
        else if (got->whole && got->text.size() > 18 && !fits_negative(got->text))
            refuse(where, "this number is out of range; as text it may have any number of digits");
        else got->text.insert(0, 1, '-');
        return got;
    }
    static bool fits_negative(const std::string& digits) {
        std::int64_t v = 0;
        const auto text = '-' + digits;
        return std::from_chars(text.data(), text.data() + text.size(), v).ec == std::errc();
    }
    MaybeNumber power(int depth) {
        auto base = atom(depth);
        skip_blanks();
        if (peek() != '*' || peek(1) != '*') return base;
        const auto where = position_;
        position_ += 2;
        enter(depth + 1);
        return operate('^', base, factor(depth + 1), where);
    }
    static MaybeNumber operate(char op, const MaybeNumber& left, const MaybeNumber& right, std::size_t where) {
        if (!left || !right)
            refuse(where, "arithmetic here takes only numbers: use a tool for texts and for results of calls");
        for (const auto* side : {&*left, &*right})
            if (side->whole && !tools::counts(side->value()))
                refuse(where, "the integer " + side->text + " is 2^53 or more, too large to be exact");
        double result = 0;
        try {
            result = tools::operate(op, left->value(), right->value());
        } catch (const tools::ToolError& error) { refuse(where, error.what()); }
        Number number;
        number.whole = left->whole && right->whole && op != '/' && tools::counts(result);
        number.text = number.whole ? tools::print_number(result) : tools::print_float(result);
        return number;
    }
    MaybeNumber atom(int depth) {
        skip_blanks();
        if (at_end()) refuse(position_, "a value is missing: the text ends too early");
        if (is_digit(peek()) || peek() == '.') {
            Number number;
            number.text = Literals::number();
            number.whole = counts_wholly(number.text);
            return number;
        }
        if (peek() == '(') return group(depth + 1);
        if (take('[')) list(depth + 1, position_ - 1);
        else if (take('{')) dict(depth + 1);
        else if (is_quote(peek())) append_quoted(out_, string());
        else word(depth);
        return std::nullopt;
    }
    void word(int depth) {
        const auto begin = position_;
        const auto word = name();
        const auto shown = std::string(utf8_cut(word, max_quoted));
        if (word.empty()) refuse(begin, "a value is expected here: text goes between double quotes");
        skip_blanks();
        if (take('(')) return inner_call(word, begin, depth);
        start_ = begin;
        if (const auto text = constant(word); !text.empty()) return void(out_ += text);
        if (is_quote(peek())) refuse(begin, "text has no letters before its quotes: write \"text\"");
        if (peek() == '.') refuse(begin, shown + " has no attributes: there are only values and calls of tools");
        if (peek() == ':') refuse(begin, "a value is given by name as " + shown + "=...");
        refuse(begin, "the name " + shown + " means nothing here: text goes between double quotes");
    }
    /// A value in parentheses, or a list in them.
    MaybeNumber group(int depth) {
        enter(depth);
        const auto begin = position_++;
        const auto mark = out_.size(), calls = children_.size();
        skip_blanks();
        if (take(')')) return out_ += "[]", std::nullopt;
        path_.push_back("/0");
        auto first = sum(depth);
        path_.pop_back();
        skip_blanks();
        if (take(')')) {
            if (children_.size() > calls) refuse(begin, "leave out the parentheses around a call");
            return first;
        }
        if (!take(',')) refuse(position_, unclosed(begin, ')'));
        out_.insert(mark, 1, '[');
        if (first) out_ += first->text;
        elements(depth, begin, ')', 1);
        return std::nullopt;
    }
    void list(int depth, std::size_t begin) {
        enter(depth);
        out_ += '[';
        elements(depth, begin, ']', 0);
    }
    void elements(int depth, std::size_t begin, char end, std::size_t index) {
        for (skip_blanks(); !take(end); skip_blanks(), ++index) {
            if (at_end()) refuse(begin, "the list that begins here is not closed");
            if (index) out_ += ',';
            path_.push_back('/' + std::to_string(index));
            value(depth);
            path_.pop_back();
            skip_blanks();
            if (!take(',') && peek() != end) refuse(position_, unclosed(begin, end));
        }
        out_ += ']';
    }
    void dict(int depth) {
        enter(depth);
        const auto begin = position_ - 1;
        std::set<std::string> names;
        out_ += '{';
        for (skip_blanks(); !take('}'); skip_blanks()) {
            if (at_end()) refuse(begin, "the object that begins here is not closed");
            const auto where = position_;
            if (!is_quote(peek())) refuse(where, "a name in double quotes is expected here");
            auto name = string();
            if (!names.insert(name).second)
                refuse(where, "the name \"" + std::string(utf8_cut(name, max_quoted)) + "\" occurs twice");
            if (names.size() > 1) out_ += ',';
            append_quoted(out_, name);
            skip_blanks();
            if (!take(':')) refuse(position_, "a colon is expected after a name");
            out_ += ':';
            path_.push_back(pointer_step(name));
            value(depth);
            path_.pop_back();
            skip_blanks();
            if (!take(',') && peek() != '}') refuse(position_, unclosed(begin, '}'));
        }
        out_ += '}';
    }
    std::string unclosed(std::size_t begin, char end) const {
        if (at_end()) refuse(begin, "what begins here is not closed");
        return std::string("a comma or ") + end + " is expected here; a quote inside of text is written \\\"";
    }

    const ParametersOf& parameters_;
    std::string out_;                // JSON of the current call
    std::vector<std::string> path_;  // path of the current value in the current call's arguments
    std::vector<InnerCall> inner_;
    std::vector<std::size_t> children_;   // indices in inner_: calls whose results the current call takes
    std::optional<std::string> waiting_;  // a string that is read already and is a value
    bool named_ = false;                  // a named value came before
    int calls_ = 0, call_depth_ = 1;
    std::size_t again_ = 0;  // number of characters examined a second time
};

CallExpression read(std::string_view text, const ParametersOf& parameters, bool closed) {
    if (text.size() > max_call_size) return {.error = "the call is longer than 1 MB"};
    CallExpression out;
    CallReader reader(text, parameters);
    try {
        out = reader.read(closed);
    } catch (const RefusedLiteral& refused) { out.error = sentence(text, refused); }
    out.examined = reader.examined();
    return out;
}
}

CallExpression read_call(std::string_view text, const ParametersOf& parameters) {
    return read(text, parameters, false);
}
CallExpression read_closed_call(std::string_view text, const ParametersOf& parameters) {
    return read(text, parameters, true);
}
}
