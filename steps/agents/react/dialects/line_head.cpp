// A state per character, because a label may be cut anywhere between two deltas; Markdown, a byte order mark and the
// full-width colon are part of what models write.
#include "steps/agents/react/dialects/line_head.hpp"
#include "engine/text.hpp"
#include "steps/agents/common/passage.hpp"
#include <algorithm>

namespace weft::agents {
namespace {
bool is_gap(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
}

void LineHead::begin() {
    state_ = State::markup;
    seen_.clear();
    word_.clear();
    markup_ = ticks_ = marks_ = gap_marks_ = 0;
}
LineHead::Verdict LineHead::look(char c) {
    seen_ += c;
    switch (state_) {
    case State::markup:
        if (is_gap(c)) return more;
        if (c == '\n') return end();
        if (c == '\xEF') {  // the first byte of a byte order mark
            state_ = State::mark_2;
            return more;
        }
        if (is_mark(c) || c == '#' || c == '>' || c == '\\') {
            ticks_ += c == '`';
            marks_ += is_mark(c);
            return ++markup_ > max_markup ? text : more;
        }
        if (!is_letter(c)) return text;
        state_ = State::word;
        word_ += lower(c);
        return more;
    case State::mark_2: state_ = State::mark_3; return c == '\xBB' ? more : text;
    case State::mark_3: state_ = State::markup; return c == '\xBF' ? more : text;
    case State::word:
    case State::gap: return in_word(c);
    case State::wide_colon_2: state_ = State::wide_colon_3; return c == '\xBC' ? more : text;
    case State::wide_colon_3: return c == '\x9A' ? colon() : text;
    }
    return text;
}
LineHead::Verdict LineHead::in_word(char c) {
    if (c == '\n') return end();
    if (c == ':') return colon();
    if (c == '\xEF') {  // the first byte of a full-width colon
        state_ = State::wide_colon_2;
        return more;
    }
    if (is_letter(c)) {
        if (state_ == State::gap) word_ += ' ';
        state_ = State::word;
        marks_ += gap_marks_;  // they were part of the word: Action_Input
        gap_marks_ = 0;
        word_ += lower(c);
        return word_.size() > max_word ? text : more;
    }
    if (is_gap(c) || c == '_' || c == '-' || c == '*' || c == '`' || c == '\\') {
        state_ = State::gap;
        if (marks_ && is_mark(c)) --marks_, ++gap_marks_;
        return more;
    }
    if (is_fence() && ((c >= '0' && c <= '9') || c == '+' || c == '.')) return more;  // ```c++
    return text;
}
LineHead::Verdict LineHead::end() {
    if (is_fence()) return fence;
    return (state_ == State::word || state_ == State::gap) && find(true) ? label_found : text;
}
bool LineHead::find(bool alone) {
    for (const auto& known : words_)
        if (known.alone == alone && word_ == known.word &&
            (!alone || std::none_of(seen_.begin(), seen_.end(), [](char c) { return c >= 'a' && c <= 'z'; }))) {
            label_ = known.label;
            return true;
        }
    return false;
}
}
