// Streamed text cannot be revoked, so blanks, marks, fences and cut characters wait until text follows.
#include "steps/agents/text/trimmed_text.hpp"
#include "engine/text/text.hpp"
#include <algorithm>

namespace weft::agents {
namespace {
/// The number of bytes at the end that may begin a character.
std::size_t cut_tail(std::string_view text) {
    for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        const std::size_t length = byte < 0xC0 ? 0 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        if (length) return length > back ? back : 0;
        if (byte < 0x80) return 0;
    }
    return 0;
}
}

void TrimmedText::put(char c) {
    if (c == '\n' && !text_.empty()) drop_marks();
    if (is_blank(c)) {
        if (!empty()) held_ += c;
    } else if (marks_ && is_mark(c)) held_ += c;
    else {
        release(c);
        text_ += c;
    }
}
void TrimmedText::put(std::string_view text) {
    for (; marks_ && !text.empty(); text.remove_prefix(1)) put(text.front());
    if (empty()) text = trimmed_front(text);
    if (const auto words = trimmed_end(text); !words.empty()) {
        release(trimmed_front(words).front());
        text_ += words;
        text.remove_prefix(words.size());
    }
    held_ += text;
}
void TrimmedText::put_fence(std::string_view line) {
    drop_marks();
    held_ += line;
    if (!held_fences_++) closing_ = held_;
}
void TrimmedText::resolve_held() {
    drop_marks();
    if (held_fences_ && fences_ % 2) {
        text_ += closing_;
        trim_end();
    }
    held_.clear();
    held_fences_ = 0;
}
std::string_view TrimmedText::news() {
    auto fresh = std::string_view(text_).substr(told_, std::max(pinned_, told_) - told_);
    if (!ended_) fresh.remove_suffix(cut_tail(fresh));
    told_ += fresh.size();
    return fresh;
}
void TrimmedText::trim_end() {
    while (!text_.empty() && is_blank(text_.back())) text_.pop_back();
}
void TrimmedText::release(char next) {
    const bool begins = held_fences_ || ((next == '{' || next == '[' || next == '`' || next == '<') &&
                                         (text_.empty() || held_.find('\n') != held_.npos));
    if (watches_ && begins) pinned_ = std::min(pinned_, text_.size());
    text_ += held_;
    held_.clear();
    fences_ += held_fences_;
    held_fences_ = 0;
}
void TrimmedText::drop_marks() {
    if (held_fences_) return;
    for (; marks_; --marks_) {
        const auto last = held_.find_last_of("*_`");
        if (last == held_.npos) break;
        held_.erase(last, 1);
    }
    marks_ = 0;
}
}
