#include "steps/llm/reply_reader.hpp"

namespace weft::llm {
void ReplyReader::add(std::string_view text, const OnDelta& on_delta) {
    deliver(stops_.pass(keys_.pass(text)), on_delta);
}
void ReplyReader::deliver(const std::string& text, const OnDelta& on_delta) {
    if (text.empty()) return;
    reply_.text += text;
    if (on_delta) on_delta(text);
}
ChatReply ReplyReader::finish(const OnDelta& on_delta) {
    if (!done()) read_rest(on_delta);
    if (!ended_ && !stops_.hit()) throw broken("broke off its reply before the end");
    deliver(stops_.pass(keys_.rest()), on_delta);  // nothing after a stop sequence
    if (stops_.hit()) {                            // what came after it does not count
        reply_.finish = FinishReason::stop;
        reply_.calls.clear();
        reply_.native = {};
    } else {
        deliver(stops_.rest(), on_delta);
    }
    reply_.model = key_.redact(reply_.model);
    for (auto& call : reply_.calls)
        for (auto* text : {&call.id, &call.name, &call.arguments}) *text = key_.redact(*text);
    reply_.native.json.text = key_.redact(reply_.native.json.text);
    return std::move(reply_);
}
}
