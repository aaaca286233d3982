// The parser reads single characters only at the beginning of a line, because labels stand nowhere else. A text without
// any label may still be the answer, so it is streamed only when this is decided.
#include "steps/agents/react/dialects/text_parser.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/react/dialects/call_arguments.hpp"
#include "steps/agents/react/dialects/text_calls.hpp"
#include "steps/models/reply_room.hpp"
#include "tools/registry.hpp"
#include <algorithm>
#include <utility>

namespace weft::agents::inline react_steps {
void TextParser::feed(std::string_view delta, const OnPiece& on_piece) {
    if (fed_ == 0) models::reserve_reply(kept_, delta.size());
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
/// The length of the plain text at the beginning: the rest of a line, after its head.
std::size_t TextParser::plain_text(std::string_view delta) const {
    if (in_head_ || open_marks_) return 0;
    return std::min(delta.find('\n'), delta.size());
}
void TextParser::put(std::string_view text) {
    examined_ += text.size();
    kept_ += text;
    if (!aside_.empty()) aside_ += text;
    else if (auto* to = passage()) to->put(text);
}
void TextParser::look(char c, const OnPiece& on_piece) {
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
    if (!aside_.empty()) aside_ += c;
    else if (auto* to = passage()) {
        if (const int marks = std::exchange(open_marks_, 0)) to->expect_marks(marks);
        to->put(c);
    }
    open_marks_ = 0;
    if (c == '\n') begin_line();
}
void TextParser::begin_line() {
    end_aside();
    in_label_line_ = false;
    in_head_ = true;
    head_.begin();
    line_ = kept_.size();
}
/// Decides about a line in the answer that may be an Action without a tool: then it is not part of the answer, unless
/// more follows.
void TextParser::end_aside() {
    if (aside_.empty()) return;
    examined_ += aside_.size();
    const auto value = std::string_view(aside_).substr(aside_value_);
    const bool is_action = head_.label() == Label::action;
    if (is_action ? is_blank(value) || names_no_tool(trimmed(value)) : gives_nothing(value)) {
        answer_.put_aside(aside_);
        declines_ = true;
    } else
        for (const char c : aside_) answer_.put(c);
    aside_.clear();
}
/// Reads a finished Action: the name of a tool, the refusal to call one, or a JSON object.
void TextParser::end_action() {
    auto text = std::string_view(action_.text());
    if (grammar_.call_line) text = without_pause(text);
    examined_ += text.size();
    const auto plain = without_fence(text);
    if (plain.starts_with('{') || plain.starts_with('[') || plain.starts_with('$')) {
        object_ = find_json_action(text, has_tool(tools_));
        if (object_) return take_object();
    }
    const bool is_printed = plain.starts_with("print(") && tools_ && !tools_->find("print");
    if ((plain.starts_with('<') || is_printed) && take_text_call(plain)) return;
    line_of_action_ = split_action(text, tools_);
    name_ = line_of_action_.name;
    const auto* tool = tools_ ? tools_->find(name_) : nullptr;
    if (!tool && (plain.empty() || names_no_tool(plain.substr(0, plain.find('\n'))))) decline();
    else if (!tool && names_answer(name_)) decision_ = DecidedKind::answer_by_action;
    else named_ = !name_.empty();
}
/// Applies an action that is a JSON object, which has its whole meaning in itself.
void TextParser::take_object() {
    examined_ += object_->examined;
    switch (object_->kind) {
    case JsonAction::Kind::call:
    case JsonAction::Kind::unknown:
        decision_ = DecidedKind::action;
        name_ = repair_utf8(object_->name);
        named_ = !name_.empty();
        return;
    case JsonAction::Kind::answer:
        decision_ = DecidedKind::answer;
        answer_.put(object_->answer);
        answer_.end();
        section_ = Section::ignored;
        return;
    case JsonAction::Kind::none: return decline();
    case JsonAction::Kind::broken: decision_ = DecidedKind::action; return;
    }
}
/// True if the Action only describes in words what the model does: an Answer beside it then counts instead.
bool TextParser::is_prose() const {
    return decision_ == DecidedKind::action && !object_ && !has_input_ &&
           line_of_action_.form == ActionLine::Form::none && name_.find(' ') != name_.npos &&
           !(tools_ && tools_->find(name_));
}
void TextParser::decline() {
    name_.clear();
    named_ = false;
    declines_ = true;
    decision_ = DecidedKind::open;
    section_ = Section::nothing;
}
/// Takes a call in the form of a protocol or of another framework, such as <tool_call>.
bool TextParser::take_text_call(std::string_view text) {
    if (!tools_) return false;
    auto read = read_text_calls(text, *tools_);
    examined_ += read.examined;
    call_error_ = std::move(read.error);
    if (read.calls.empty()) return false;
    ignored_ += read.calls.size() - 1;
    object_.emplace();
    object_->name = std::move(read.calls.front().name);
    object_->arguments = std::move(read.calls.front().arguments);
    take_object();
    return true;
}
/// Takes such a call in the thought: from the first line that begins with a mark, or from the whole thought, if it
/// would be the answer.
void TextParser::find_text_call() {
    if (decision_ != DecidedKind::open || section_ != Section::thought) return;
    const std::string_view all = thought_.text();
    std::size_t begin = 0;
    while (labelled_ && begin < all.size() && std::string_view("<[>`").find(all[begin]) == all.npos)
        begin = std::min(all.find('\n', begin), all.size() - 1) + 1;
    if (begin >= all.size()) return;
    const bool is_untold = !labelled_ || thought_.is_untold(begin);
    if (!take_text_call(std::string(all.substr(begin)))) return;
    if (is_untold) thought_.cut(begin);
    labelled_ = true;
}
/// Takes an action that is an object in the thought. Before an Answer, only an object that stands by itself counts.
void TextParser::find_object(bool before_answer) {
    if (decision_ != DecidedKind::open || section_ != Section::thought) return;
    thought_.resolve_held();
    auto found = find_json_action(thought_.text(), has_tool(tools_));
    if (!found) return;
    const bool is_call = found->kind == JsonAction::Kind::call;
    const bool is_untold = !labelled_ || thought_.is_untold(found->begin);
    if (before_answer && !(is_call && is_untold)) return void(examined_ += found->examined);
    if (is_untold && found->kind != JsonAction::Kind::broken) thought_.cut(found->begin);
    object_ = std::move(found);
    labelled_ = true;
    take_object();
}
void TextParser::put_seen() {
    in_head_ = false;
    examined_ += head_.seen().size();
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    auto seen = head_.seen();
    if (seen.starts_with(byte_order_mark)) seen.erase(0, byte_order_mark.size());
    for (const char c : seen) put(c);
}
void TextParser::put_fence() {
    if (section_ == Section::input || section_ == Section::action)
        return put_seen();  // kept for the reader of the input
    in_fence_ = !in_fence_;
    if (auto* to = passage()) to->put_fence(head_.seen());
    head_.begin();
    line_ = kept_.size();
}
/// True if the found label's word is text in this place.
bool TextParser::is_text() const {
    const auto label = head_.label();
    if (label == Label::pause) return false;
    if (section_ == Section::answer) return label != Label::observation || head_.is_listed();
    if (head_.where() != LabelPlace::behind_action) return false;
    const bool is_behind = section_ == Section::nothing ||
                           (section_ == Section::action && action_.text().find_first_of("\n({") == std::string::npos);
    return !is_behind;
}
void TextParser::label(const OnPiece& on_piece) {
    const auto label = head_.label();
    if (is_text()) {
        const bool may_be_none = label == Label::action || (label == Label::input && declines_);
        if (!may_be_none || answer_.empty() || section_ != Section::answer) return put_seen();
        in_head_ = false;
        examined_ += head_.seen().size();
        aside_ = head_.seen();
        aside_value_ = aside_.size();
        return;
    }
    if (label == Label::pause) return pause(on_piece);
    in_head_ = false;
    in_label_line_ = true;
    open_marks_ = head_.open_marks();
    if (label == Label::answer || label == Label::observation) find_object(label == Label::answer);
    if (section_ == Section::action) end_action();
    if (label == Label::answer && is_prose()) decline();
    const bool decided = section_ == Section::ignored ||
                         (decision_ != DecidedKind::open && decision_ != DecidedKind::answer);
    switch (label) {
    case Label::observation: kept_.resize(line_); return enter(Section::cut, on_piece);
    case Label::thought:
        enter(decided ? Section::ignored : Section::thought, on_piece);
        if (decided) break;
        labelled_ = true;
        thought_.go_on();
        if (!thought_.empty()) thought_.put('\n');
        break;
    case Label::action:
        if (!decided) begin_action();
        else if (decision_ != DecidedKind::stray_input) ++ignored_;
        enter(decided ? Section::ignored : Section::action, on_piece);
        break;
    case Label::input: {
        const bool first = section_ == Section::action;
        if (first) has_input_ = true;
        else if (decision_ == DecidedKind::open && section_ != Section::nothing && section_ != Section::ignored)
            decision_ = DecidedKind::stray_input;
        if (section_ != Section::nothing) enter(first ? Section::input : Section::ignored, on_piece);
        break;
    }
    case Label::answer: {
        const bool first = !decided || (decision_ == DecidedKind::answer_by_action && gives_nothing(input_.text()) &&
                                        gives_nothing(line_of_action_.arguments));
        if (first) decision_ = DecidedKind::answer;
        else if (decision_ != DecidedKind::stray_input) ++ignored_;
        enter(first ? Section::answer : Section::ignored, on_piece);
        break;
    }
    case Label::pause: break;
    }
    if (head_.seen().ends_with('\n')) begin_line();  // [Action], on a separate line
}
/// Begins an action; an earlier one may have named no tool.
void TextParser::begin_action() {
    decision_ = DecidedKind::action;
    declines_ = false;
    line_of_action_ = {};  // a view into the former passage
    object_.reset();
    action_ = TrimmedText();
}
/// Handles PAUSE, at the end of its line. Before a decision it has no meaning.
void TextParser::pause(const OnPiece& on_piece) {
    begin_line();
    if (section_ == Section::action) end_action();
    if (is_decided()) enter(Section::ignored, on_piece);
}
void TextParser::enter(Section next, const OnPiece& on_piece) {
    if (section_ == next) return;
    const bool unlabelled = section_ == Section::thought && next == Section::cut && !labelled_;
    if (auto* left = passage(); left && !unlabelled) left->end();
    if (section_ == Section::thought && !unlabelled) labelled_ = true;
    tell(on_piece);
    section_ = next;
}
TrimmedText* TextParser::passage() {
    switch (section_) {
    case Section::thought: return &thought_;
    case Section::action: return &action_;
    case Section::input: return &input_;
    case Section::answer: return &answer_;
    case Section::nothing: return in_label_line_ ? nullptr : &direct_;
    case Section::ignored:
    case Section::cut: break;
    }
    return nullptr;
}
void TextParser::tell(const OnPiece& on_piece) {
    if (!on_piece) return;
    const auto tell_one = [&on_piece](PieceKind kind, std::string_view news) {
        if (news.empty()) return;
        if (is_utf8(news)) on_piece(kind, news);
        else on_piece(kind, repair_utf8(news));
    };
    if (labelled_ || is_decided()) tell_one(PieceKind::thought, thought_.news());  // else it may be the answer
    if (std::exchange(named_, false)) on_piece(PieceKind::action, name_);
    if (decision_ != DecidedKind::answer_by_action) tell_one(PieceKind::action_input, input_.news());
    tell_one(PieceKind::answer, answer_.news());
}
Reply TextParser::finish(const OnPiece& on_piece) {
    const bool invented = section_ == Section::cut;
    if (in_head_ && !invented) {
        switch (head_.end()) {
        case LineHead::fence: put_fence(); break;
        case LineHead::label_found: label(on_piece); break;
        default: put_seen();
        }
    }
    end_aside();
    if (section_ == Section::action) end_action();
    find_object(false);
    find_text_call();
    enter(Section::cut, on_piece);
    if (decision_ == DecidedKind::answer_by_action) answer_by_action();
    thought_.end();
    direct_.end();
    const bool is_direct = declines_ && !is_decided() && grammar_.unlabelled == Unlabelled::answer;
    auto* answer = !labelled_ ? &thought_ : is_direct ? &direct_ : nullptr;
    if (answer && call_error_.empty() && tools_) call_error_ = translated_action(answer->text(), *tools_);
    if (!call_error_.empty()) labelled_ = true;  // the text is not an answer
    else if (answer && !answer->text().empty()) {
        decision_ = DecidedKind::answer;
        std::swap(*answer, answer_);
    }
    tell(on_piece);
    auto reply = read();
    if (on_piece && reply.kind == ReplyKind::action && input_.empty()) {  // the input stood in another place
        const bool is_text = !object_ && line_of_action_.form == ActionLine::Form::text;
        on_piece(PieceKind::action_input,
                 is_text ? repair_utf8(trimmed(line_of_action_.arguments)) : reply.action_input);
    }
    reply.invented = invented;
    reply.text = repair_utf8(trimmed(kept_));
    return reply;
}
}
