#include "steps/llm/reply_reader.hpp"

namespace weft::llm {
void ReplyReader::add(std::string_view text, const OnDelta& on_delta) {
    const std::string passed = filter_.pass(text);
    if (passed.empty()) return;
    reply_.text += passed;
    if (on_delta) on_delta(passed);
}
ChatReply ReplyReader::finish(const OnDelta& on_delta) {
    if (!done()) read_rest(on_delta);
    if (filter_.hit()) {
        reply_.finish = FinishReason::stop;
    } else {
        if (!ended_) throw broken("broke off its reply before the end");
        if (const auto rest = filter_.rest(); !rest.empty()) {
            reply_.text += rest;
            if (on_delta) on_delta(rest);
        }
    }
    return std::move(reply_);
}
}
