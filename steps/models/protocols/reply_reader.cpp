// Text passes two filters, for the key and for stop sequences, so a piece may come later than its bytes did. A reply
// that was ended by a stop sequence may have no count of tokens from the server: then it is estimated.
#include "steps/models/protocols/reply_reader.hpp"

namespace weft::models {
namespace {
constexpr std::size_t longest_text = 4 << 20;  // no model of today writes a quarter of it
}
std::size_t ReplyReader::size_of(const ChatRequest& request) {
    std::size_t bytes = 0;
    for (const auto& message : request.messages) bytes += message.content.size();
    return bytes;
}
void ReplyReader::think(std::string_view reasoning) { tell(thought_keys_.pass(reasoning)); }
void ReplyReader::tell(const std::string& reasoning) {
    if (reasoning.empty()) return;
    reply_.reasoning += reasoning;
    if (reply_.reasoning.size() > longest_text)
        throw Fault(Code::model_failed, "sent too much: reasoning of more than 4 MB");
    if (on_reasoning_) on_reasoning_(reasoning);
}
void ReplyReader::add(std::string_view text, const OnDelta& on_delta) {
    if (!text.empty()) tell(thought_keys_.rest());  // all of it comes before the text
    deliver(stops_.pass(keys_.pass(text)), on_delta);
}
void ReplyReader::deliver(const std::string& text, const OnDelta& on_delta) {
    if (text.empty()) return;
    reply_.text += text;
    if (reply_.text.size() > longest_text) throw Fault(Code::model_failed, "sent too much: a reply of more than 4 MB");
    if (on_delta) on_delta(text);
}
ChatReply ReplyReader::finish(const OnDelta& on_delta) {
    if (!done()) read_rest(on_delta);
    if (!ended_ && !stops_.hit()) throw broken("broke off its reply before the end");
    tell(thought_keys_.rest());
    deliver(stops_.pass(keys_.rest()), on_delta);  // nothing after a stop sequence
    if (stops_.hit()) {                            // what came after it does not count
        reply_.finish = FinishReason::stop;
        reply_.calls.clear();
        reply_.native = {};
        constexpr std::size_t bytes_of_token = 4;
        if (reply_.usage == Usage())
            reply_.usage = {static_cast<std::int64_t>(1 + asked_ / bytes_of_token),
                            static_cast<std::int64_t>(1 + reply_.text.size() / bytes_of_token)};
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
