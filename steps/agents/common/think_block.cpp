// Only a block at the beginning counts: a reply that talks about <think> later is text.
#include "steps/agents/common/think_block.hpp"
#include "engine/text.hpp"

namespace weft::agents {
namespace {
constexpr std::string_view opening = "<think>", closing = "</think>", byte_order_mark = "\xEF\xBB\xBF";
}

ThinkBlock::Verdict ThinkBlock::look(char c) {
    if (state_ == State::outside) return look_outside(c);
    look_inside(c);
    return taken;
}
ThinkBlock::Verdict ThinkBlock::look_outside(char c) {
    if (seen_.empty() && is_blank(c)) return taken;
    seen_ += c;
    if (byte_order_mark.starts_with(seen_)) {
        if (seen_ == byte_order_mark) seen_.clear();
        return taken;
    }
    if (!opening.starts_with(seen_)) {
        state_ = State::past;
        text_.end();
        return past;
    }
    if (seen_ != opening) return taken;
    seen_.clear();
    state_ = State::inside;
    if (!text_.empty()) text_.put('\n');
    any_ = true;
    return taken;
}
void ThinkBlock::look_inside(char c) {
    seen_ += c;
    if (!closing.starts_with(seen_)) {  // a tag's first character stands nowhere else in it
        seen_.pop_back();
        text_.put(seen_);
        seen_.clear();
        if (c == closing.front()) seen_ += c;
        else text_.put(c);
        return;
    }
    if (seen_ != closing) return;
    seen_.clear();
    state_ = State::outside;
    text_.resolve_held();
}
void ThinkBlock::end() {
    if (state_ == State::inside) text_.put(seen_);
    text_.end();
}

std::string_view after_think_blocks(std::string_view reply) {
    ThinkBlock think;
    for (std::size_t i = 0; i < reply.size(); ++i)
        if (think.look(reply[i]) == ThinkBlock::past) return reply.substr(i + 1 - think.seen().size());
    if (think.open()) return {};
    return reply.substr(reply.size() - think.seen().size());
}
}
