// A reply is read character by character at the beginnings of lines, and in one piece elsewhere: labels stand nowhere
// else. A text without any label may still be the answer, so it is told only when that is known.
#include "steps/agents/react/dialects/text_parser.hpp"
#include "engine/text.hpp"
#include "engine/utf8.hpp"
#include "steps/agents/react/dialects/call_arguments.hpp"
#include "tools/registry.hpp"
#include <algorithm>
#include <utility>

namespace weft::agents {
namespace {

bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}
bool is_emphasis(char c) { return c == '*' || c == '`'; }
std::string_view strip_markup(std::string_view name) {
    constexpr std::string_view markup = " \t\r`'\"*.";
    const auto first = name.find_first_not_of(markup);
    return first == name.npos ? std::string_view() : name.substr(first, name.find_last_not_of(markup) - first + 1);
}
/// `add`, "add", add(), add (two numbers): all mean the tool add. Anything else stays as it is: there is no such tool.
std::string tool_name(std::string_view line) {
    line = strip_markup(line.substr(0, line.find('\n')));
    std::size_t n = 0;
    while (n < line.size() && is_name(line[n])) ++n;
    const auto rest = line.substr(n);
    const auto open = rest.find_first_not_of(" `'\"*");
    if (n && open != rest.npos && rest[open] == '(' && rest.back() == ')') line = line.substr(0, n);
    return repair_utf8(line);
}
/// The same in a line that calls, where parentheses may hold what would be lost.
std::string called_name(std::string_view name) {
    name = strip_markup(without_pause(name));
    if (name.ends_with("()")) name = strip_markup(name.substr(0, name.size() - 2));
    return repair_utf8(name);
}
/// One line, and none with a label in front, such as "Input: Rome".
bool is_one_input(std::string_view text) {
    if (text.find('\n') != text.npos) return false;
    constexpr std::size_t longest_label = 24;
    const auto head = text.substr(0, longest_label);
    const auto colon = head.find(':');
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto is_other = [&](char c) {
        return !is_letter(c) && std::string_view(" \t*_`#>-+[(.0123456789").find(c) == head.npos;
    };
    return colon == head.npos || std::none_of(head.begin(), head.begin() + std::ptrdiff_t(colon), is_letter) ||
           std::any_of(head.begin(), head.begin() + std::ptrdiff_t(colon), is_other);
}
/// Emphasis that the name opens and does not close: `add: 1`.
int open_emphasis(std::string_view name) {
    int open = 0;
    while (!name.empty() && (is_emphasis(name.front()) || name.front() == ' ' || name.front() == '\t')) {
        open += is_emphasis(name.front());
        name.remove_prefix(1);
    }
    for (; !name.empty() && is_emphasis(name.back()); name.remove_suffix(1)) --open;
    return std::max(open, 0);
}
}

void TextParser::feed(std::string_view delta, const OnPiece& on_piece) {
    while (!delta.empty() && section_ != Section::cut && !too_long_) {
        const auto plain = std::min(plain_text(delta), max_reply - fed_);
        if (plain) put(delta.substr(0, plain));
        else if (too_long_ = fed_ == max_reply; !too_long_) look(delta[0], on_piece);
        const auto n = std::max<std::size_t>(plain, 1);
        fed_ += n;
        delta.remove_prefix(n);
    }
    tell(on_piece);
}
/// How much of its beginning is text in which no character has a meaning: the rest of a line, after its head.
std::size_t TextParser::plain_text(std::string_view delta) const {
    const bool names_tool = section_ == Section::action && grammar_.call_line;
    if (thinks_ || in_head_ || open_marks_ || names_tool) return 0;
    return std::min(delta.find('\n'), delta.size());
}
void TextParser::put(std::string_view text) {
    examined_ += text.size();
    kept_ += text;
    if (auto* to = passage()) to->put(text);
}
void TextParser::look(char c, const OnPiece& on_piece) {
    if (!thinks_) return take(c, on_piece);
    ++examined_;
    if (think_.look(c) == ThinkBlock::taken) return;
    thinks_ = false;
    for (const char seen : think_.seen()) take(seen, on_piece);
}
void TextParser::take(char c, const OnPiece& on_piece) {
    ++examined_;
    kept_ += c;
    if (!in_head_) return put(c);
    switch (head_.look(c)) {
    case LineHead::more: return;
    case LineHead::label_found: return label(on_piece);
    case LineHead::fence: return put_fence();
    case LineHead::text: return put_seen();
    }
}
void TextParser::put(char c) {
    if (open_marks_ && (c == '*' || c == '_' || c == '`')) {
        --open_marks_;  // **Answer:** closes after its colon
        return;
    }
    if (section_ == Section::action && grammar_.call_line) put_name(c);
    else {
        auto* to = passage();
        const int marks = std::exchange(open_marks_, 0);
        if (to && marks) to->expect_marks(marks);
        if (to) to->put(c);
    }
    if (c != '\n') return;
    in_head_ = true;
    head_.begin();
    line_ = kept_.size();
}
/// `Action: name: argument`: the name ends with its colon, which may be a wide one, or with its line.
void TextParser::put_name(char c) {
    constexpr std::string_view wide = "\xEF\xBC\x9A";
    name_marks_ += std::exchange(open_marks_, 0);
    if (c != ':' && c != '\n') {
        called_ += c;
        if (!called_.ends_with(wide)) return;
        called_.resize(called_.size() - wide.size());
    }
    if (c == '\n' && strip_markup(called_).empty()) return called_.clear();  // it may stand on the next line
    end_name();
    if (c != '\n') open_marks_ = name_marks_ + open_emphasis(called_);
    section_ = Section::input;
    has_input_ = true;
}
void TextParser::end_name() {
    name_ = grammar_.call_line ? called_name(called_) : tool_name(action_.text());
    named_ = !name_.empty();
}
void TextParser::put_seen() {
    in_head_ = false;
    examined_ += head_.seen().size();
    const std::string seen = head_.seen();
    for (const char c : seen) put(c);
}
void TextParser::put_fence() {
    if (section_ == Section::input) return put_seen();  // part of what the JSON reader reads
    in_fence_ = !in_fence_;
    if (auto* to = passage(); to && to != &action_) to->put_fence(head_.seen());
    head_.begin();
    line_ = kept_.size();
}
void TextParser::label(const OnPiece& on_piece) {
    const auto label = head_.label();
    if (section_ == Section::answer && label != Label::observation && label != Label::pause) return put_seen();
    if (label == Label::pause) return pause(on_piece);
    in_head_ = false;
    open_marks_ = head_.open_marks();
    const bool decided = acts_ || stray_input_ || section_ == Section::ignored;
    switch (label) {
    case Label::observation: kept_.resize(line_); return enter(Section::cut, on_piece);
    case Label::thought:
        if (decided) return enter(Section::ignored, on_piece);
        labelled_ = true;
        thought_.resolve_held();
        if (!thought_.empty()) thought_.put('\n');
        return;
    case Label::action:
        if (!decided) acts_ = true;
        else if (!stray_input_) ++ignored_;
        return enter(decided ? Section::ignored : Section::action, on_piece);
    case Label::input: {
        const bool first = section_ == Section::action ||
                           (grammar_.call_line && section_ == Section::input && input_.empty());
        if (first) has_input_ = true;
        else if (!acts_) stray_input_ = true;
        return enter(first ? Section::input : Section::ignored, on_piece);
    }
    case Label::answer:
        if (!decided) answers_ = true;
        else if (!stray_input_) ++ignored_;
        return enter(decided ? Section::ignored : Section::answer, on_piece);
    case Label::pause: break;
    }
}
/// A line of its own, which has ended. Before anything is decided it means nothing.
void TextParser::pause(const OnPiece& on_piece) {
    in_head_ = true;
    head_.begin();
    line_ = kept_.size();
    if (acts_ || answers_) enter(Section::ignored, on_piece);
}
void TextParser::enter(Section next, const OnPiece& on_piece) {
    if (section_ == next) return;
    const bool unlabelled = section_ == Section::thought && next == Section::cut && !labelled_;
    if (auto* left = passage(); left && !unlabelled) left->end();
    if (section_ == Section::thought && !unlabelled) labelled_ = true;
    if (section_ == Section::action) end_name();
    tell(on_piece);
    section_ = next;
}
Passage* TextParser::passage() {
    switch (section_) {
    case Section::thought: return &thought_;
    case Section::action: return &action_;
    case Section::input: return &input_;
    case Section::answer: return &answer_;
    case Section::ignored:
    case Section::cut: break;
    }
    return nullptr;
}
void TextParser::tell(const OnPiece& on_piece) {
    if (!on_piece) return;
    const auto tell_one = [&on_piece](PieceKind kind, std::string_view news, const char* before = "") {
        if (!news.empty()) on_piece(kind, before + repair_utf8(news));
    };
    tell_one(PieceKind::thought, think_.news());
    if (labelled_ || acts_ || answers_) {  // else it may be the answer
        const auto news = thought_.news();
        const bool first = !news.empty() && !std::exchange(parted_, true);
        tell_one(PieceKind::thought, news, first && !think_.text().empty() ? "\n" : "");
    }
    if (std::exchange(named_, false)) on_piece(PieceKind::action, name_);
    tell_one(PieceKind::action_input, input_.news());
    tell_one(PieceKind::answer, answer_.news());
}
void TextParser::end_thinking(const OnPiece& on_piece) {
    thinks_ = false;
    think_.end();
    if (!think_.open())
        for (const char seen : think_.seen()) take(seen, on_piece);  // a tag that has only begun
}
Reply TextParser::finish(const OnPiece& on_piece) {
    const bool invented = section_ == Section::cut;
    if (thinks_) end_thinking(on_piece);
    if (in_head_ && !invented) {
        switch (head_.end()) {
        case LineHead::fence: put_fence(); break;
        case LineHead::label_found: label(on_piece); break;
        default: put_seen();
        }
    }
    enter(Section::cut, on_piece);
    if (acts_ && !has_input_) take_next_line();
    if (!labelled_) {
        thought_.end();
        if (!thought_.empty()) answers_ = true, std::swap(thought_, answer_);
    }
    tell(on_piece);
    auto reply = read();
    reply.invented = invented;
    while (!kept_.empty() && std::string_view(" \t\r\n").find(kept_.back()) != std::string_view::npos) kept_.pop_back();
    reply.text = repair_utf8(kept_);
    return reply;
}
/// The input of an action without a line for it: an object, or the text of a tool that takes nothing else.
void TextParser::take_next_line() {
    const std::string_view text = action_.text();
    const auto end = text.find('\n');
    if (end == text.npos) return;
    const auto input = trimmed_front(text.substr(end));
    const auto* tool = tools_ ? tools_->find(name_) : nullptr;
    const bool bare = tool && takes_one_text(*tool) && is_one_input(trimmed_end(input));
    const bool has_values = text.substr(0, end).find('(') != text.npos && !text.substr(0, end).ends_with("()");
    if (has_values || (!bare && !input.starts_with('{'))) return;
    examined_ += input.size();
    input_.put(input);
    input_.end();
    has_input_ = next_line_ = true;
}
/// The end of a code fence behind the object, which has begun nowhere.
bool TextParser::has_stray_fence() const {
    const std::string_view input = input_.text();
    return !in_fence_ && input.starts_with('{') && input.ends_with("```");
}
Reply TextParser::read() const {
    Reply reply;
    reply.reasoning = repair_utf8(think_.text());
    reply.thought = repair_utf8(thought_.text());
    reply.ignored = ignored_;
    if (too_long_) reply.error = "the reply is longer than 4 MB";
    else if (think_.open())
        reply.error =
            "it ends inside of its <think> block, before any Action or Answer: think more briefly, and write no "
            "Observation there";
    else if (acts_) read_action(reply);
    else read_rest(reply);
    return reply;
}
void TextParser::read_rest(Reply& reply) const {
    const std::string answer(grammar_.answer);
    if (stray_input_) reply.error = "there is an Action Input without an Action before it";
    else if (answers_ && answer_.text().empty()) reply.error = "the " + answer + " is empty";
    else if (answers_) {
        reply.kind = ReplyKind::answer;
        reply.answer = repair_utf8(answer_.text());
    } else if (thought_.text().empty())
        reply.error = think_.any() ? "nothing comes after its <think> block" : "the reply is empty";
    else {
        reply.error = "there is a Thought, but neither an Action nor " +
                      std::string(answer.starts_with('A') ? "an " : "a ") + answer + " after it";
        reply.unlabelled = grammar_.unlabelled == Unlabelled::reminder;
    }
}
void TextParser::read_action(Reply& reply) const {
    reply.action = name_;
    if (name_.empty()) {
        reply.error = "the Action names no tool";
        return;
    }
    if (!has_input_ && !grammar_.call_line) {
        reply.error =
            "the Action has no Action Input: write it on the line after the Action, {} if the tool needs none";
        return;
    }
    const auto* part = grammar_.call_line ? "argument" : "Action Input";
    auto input = read_arguments(grammar_.call_line ? without_pause(input_.text()) : std::string_view(input_.text()),
                                next_line_ ? Bare::only : grammar_.bare, tools_ ? tools_->find(name_) : nullptr, name_);
    if (!input.ok()) {
        reply.error = std::string("the ") + part + " cannot be read: " + input.error;
        return;
    }
    if (input.has_rest || has_stray_fence())
        reply.note = std::string("the text behind the JSON object of the ") + part +
                     " was ignored. Write nothing after that object.";
    reply.kind = ReplyKind::action;
    reply.action_input = std::move(input.json);
}
}
