// The state changes with each byte, because a delta may end anywhere in a label, even inside a character.
#include "steps/agents/react/dialects/line_head.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "steps/agents/text/trimmed_text.hpp"

namespace weft::agents::inline react_steps {
namespace {
bool is_ascii_mark(char32_t c) { return c < 0x80 && is_mark(static_cast<char>(c)); }
/// True for blanks of any width, and for invisible characters.
bool is_gap(char32_t c) {
    return c == ' ' || c == '\t' || c == '\r' || c == 0xA0 || (c >= 0x2000 && c <= 0x200F) || c == 0x202F ||
           c == 0x205F || c == 0x2060 || c == 0x20E3 || c == 0x3000 || c == 0xFE0F || c == 0xFEFF;
}
bool is_colon(char32_t c) {
    return c == ':' || c == 0xFF1A || c == 0xFE55 || c == 0xFE13 || c == 0xA789 || c == 0x2236;
}
bool is_bullet(char32_t c) {
    return c == '-' || c == '+' || c == 0xB7 || c == 0x2013 || c == 0x2014 || (c >= 0x2022 && c <= 0x2023) ||
           c == 0x2043;
}
/// True for arrows, symbols and emoji, and for characters that Markdown or a template puts before a line.
bool is_ornament(char32_t c) {
    return c == '#' || c == '>' || c == '\\' || is_bullet(c) || (c >= 0x2190 && c <= 0x2BFF && c != 0x2236) ||
           (c >= 0x1F000 && c <= 0x1FAFF);
}
bool opens(char32_t c) { return c == '[' || c == '(' || c == '<' || c == 0x3010 || c == 0xFF3B; }
bool closes(char32_t c) { return c == ']' || c == ')' || c == '>' || c == 0x3011 || c == 0xFF3D; }
}

void LineHead::begin() {
    state_ = State::start;
    seen_.clear();
    word_.clear();
    left_ = markup_ = ticks_ = marks_ = gap_marks_ = run_ = 0;
    bracket_ = number_ = stepped_ = numbered_ = listed_ = heading_ = false;
}
LineHead::LookResult LineHead::look(char c) {
    seen_ += c;
    if (c == '\n') return end();
    const auto byte = static_cast<unsigned char>(c);
    if (left_) {
        if ((byte & 0xC0) != 0x80) return text;
        code_ = code_ << 6 | (byte & 0x3F);
        return --left_ ? more : look(code_);
    }
    if (byte < 0x80) return look(char32_t{byte});
    if (byte < 0xC0 || byte > 0xF4) return text;
    left_ = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
    code_ = byte & (0x3F >> left_);
    return more;
}
LineHead::LookResult LineHead::look(char32_t c) {
    switch (state_) {
    case State::start: return at_start(c);
    case State::word:
    case State::gap: return in_word(c);
    case State::closed: return behind_bracket(c);
    }
    return text;
}
LineHead::LookResult LineHead::at_start(char32_t c) {
    if (is_letter(c)) {
        state_ = State::word;
        word_ += lower(static_cast<char>(c));
        return more;
    }
    if (is_gap(c)) {
        if (run_ == 1 && seen_[seen_.size() - 2] == '*') {  // a bullet, not emphasis
            --marks_;
            listed_ = true;
        }
        run_ = 0;
        return more;
    }
    if (is_digit(c)) number_ = listed_ = true;
    else if (is_ascii_mark(c)) {
        ticks_ += c == '`';
        ++marks_;
        ++run_;
    } else if (is_ornament(c)) {
        listed_ = listed_ || is_bullet(c);
        heading_ = heading_ || c == '#';
    } else if (opens(c)) bracket_ = true;
    else if (!number_ || !(c == '.' || c == ')' || c == ']' || (stepped_ && is_colon(c)))) return text;
    else bracket_ = false;  // (1) Action
    return ++markup_ > max_markup ? text : more;
}
LineHead::LookResult LineHead::in_word(char32_t c) {
    if (is_colon(c)) return find(false);
    if (is_letter(c)) {
        if (state_ == State::gap) word_ += ' ';
        state_ = State::word;
        marks_ += gap_marks_;  // the marks were part of the word: Action_Input
        gap_marks_ = 0;
        word_ += lower(static_cast<char>(c));
        return word_.size() > max_word ? text : more;
    }
    if (is_fence() && (is_digit(c) || c == '+' || c == '.')) return more;  // ```c++
    if (is_digit(c)) {
        if (word_ == "step" || word_ == "turn" || word_ == "round") {
            word_.clear();
            state_ = State::start;
            number_ = stepped_ = listed_ = true;
        } else {
            state_ = State::gap;
            numbered_ = true;
        }
        return more;
    }
    if (is_gap(c) || c == '_' || c == '-' || c == '*' || c == '`' || c == '\\' || c == '#') {
        state_ = State::gap;
        if (marks_ && is_ascii_mark(c)) --marks_, ++gap_marks_;
        return more;
    }
    if (!bracket_ || !closes(c)) return text;
    state_ = State::closed;
    return more;
}
LineHead::LookResult LineHead::behind_bracket(char32_t c) {
    if (is_colon(c) || is_gap(c)) return find(false);
    if (!is_ascii_mark(c)) return text;
    marks_ -= marks_ > 0;
    return more;
}
LineHead::LookResult LineHead::end() {
    if (is_fence()) return fence;
    if (left_) return text;
    if (state_ == State::closed) return find(false);
    if (state_ == State::start) return text;
    if (const auto found = find(true); found == label_found || !heading_) return found;
    listed_ = true;  // a text may have headings, too
    return find(false);
}
LineHead::LookResult LineHead::find(bool alone) {
    for (const auto& known : words_) {
        const bool is_alone = known.where == LabelPlace::alone;
        if (is_alone != alone || word_ != known.word) continue;
        // Answer 1: and Answer 2: are parts of an answer.
        if (numbered_ && (alone || known.label == Label::answer)) continue;
        if (alone && std::any_of(seen_.begin(), seen_.end(), is_lower)) continue;
        found_ = &known;
        return label_found;
    }
    return text;
}
}
