// Text passes three filters: for the key, for reasoning, and for stop sequences, so it may be delivered later than its
// bytes arrive. The server may not count the tokens of a reply that a stop sequence ended: then they are estimated.
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "engine/text/text.hpp"
#include "steps/models/reply_room.hpp"
#include <utility>

namespace weft::models {
namespace {
constexpr std::size_t longest_text = 4 << 20;              // no current model writes a quarter of this
constexpr std::size_t longest_written = 2 * longest_text;  // text and the reasoning in it
}
std::size_t ReplyReader::size_of(const ChatRequest& request) {
    std::size_t bytes = 0;
    for (const auto& message : request.messages) bytes += message.content.size();
    return bytes;
}
void ReplyReader::think(std::string_view reasoning) {
    if (reasoning.empty()) return;
    filter();
    std::string room;
    tell(thought_keys_.pass(thought_halves_.pass(reasoning, room)));
}
void ReplyReader::tell(std::string_view reasoning) {
    if (reasoning.empty()) return;
    deliver();
    reply_.reasoning += reasoning;
    if (reply_.reasoning.size() > longest_text)
        throw Fault(Code::model_failed, "sent too much: reasoning of more than 4 MB");
    if (on_reasoning_) on_reasoning_(reasoning);
}
void ReplyReader::add(std::string_view text) {
    if (text.empty()) return;
    end_reasoning();  // all reasoning comes before the text
    if (written_.empty()) reserve_reply(written_, text.size());
    written_ += text;
    if (written_.size() > longest_written) throw Fault(Code::model_failed, "sent too much: a reply of more than 8 MB");
    if (stops_.may_hit(text) || halves_.holds() || keys_.holds() || thoughts_.holds()) filter();
}
/// Passes the text through the filters. It may wait as long as nothing depends on it but the next delta: unless a stop
/// sequence may end in it or in what a filter holds, which ends the reply.
void ReplyReader::filter() {
    const auto text = std::string_view(written_).substr(std::exchange(filtered_, written_.size()));
    if (text.empty()) return;
    std::string room;
    thoughts_.pass(keys_.pass(halves_.pass(text, room)));
}
bool ReplyReader::has_thought() {
    filter();
    return thoughts_.any();
}
void ReplyReader::end_reasoning() {
    if (thought_halves_.holds()) tell(thought_keys_.pass(thought_halves_.rest()));
    if (thought_keys_.holds()) tell(thought_keys_.rest());
}
void ReplyReader::text(std::string_view piece) { keep(stops_.pass(piece)); }
void ReplyReader::thought(std::string_view piece) {
    if (!stops_.hit()) tell(piece);
}
void ReplyReader::text_was_thought() {
    if (stops_.hit()) return;
    deliver();
    delivered_ = 0;
    const auto said = std::exchange(reply_.text, {}) + stops_.rest();
    if (is_blank(said)) return;
    (reply_.reasoning += reply_.reasoning.empty() ? "" : "\n") += trimmed(said);
    if (when_reasoned_) when_reasoned_();
    if (on_reasoning_) on_reasoning_(reply_.reasoning);
}
void ReplyReader::keep(std::string_view text) {
    if (text.empty()) return;
    if (reply_.text.empty()) reserve_reply(reply_.text, text.size());
    if (reply_.text.size() + text.size() > longest_text) {
        deliver();
        throw Fault(Code::model_failed, "sent too much: a reply of more than 4 MB");
    }
    reply_.text += text;
}
/// Passes on the text since the last delta.
void ReplyReader::deliver() {
    const auto text = std::string_view(reply_.text).substr(delivered_);
    delivered_ = reply_.text.size();
    if (!text.empty() && *on_delta_) (*on_delta_)(text);
}
/// Reads, and delivers the text also if a fault follows it.
template <class Read> void ReplyReader::read_then_deliver(const OnDelta& on_delta, Read read) {
    on_delta_ = &on_delta;
    try {
        read();
    } catch (...) {
        filter();
        deliver();
        throw;
    }
    filter();
    deliver();
}
void ReplyReader::feed(std::string_view bytes, const OnDelta& on_delta) {
    if (!done()) read_then_deliver(on_delta, [&] { read(bytes); });
}
void ReplyReader::finish_text() {
    if (!done()) read_rest();
    filter();
    if (!ended_ && !stops_.hit()) throw broken("broke off its reply before the end");
    end_reasoning();
    if (halves_.holds()) thoughts_.pass(keys_.pass(halves_.rest()));
    if (keys_.holds()) thoughts_.pass(keys_.rest());  // nothing after a stop sequence
    thoughts_.finish();
    if (!stops_.hit()) keep(stops_.rest());
}
ChatReply ReplyReader::finish(const OnDelta& on_delta) {
    read_then_deliver(on_delta, [&] { finish_text(); });
    if (stops_.hit()) {  // text after it does not count
        reply_.finish = FinishReason::stop;
        reply_.calls.clear();
        reply_.native = {};
        constexpr std::size_t bytes_of_token = 4;
        if (reply_.usage == Usage())
            reply_.usage = {static_cast<std::int64_t>(1 + asked_ / bytes_of_token),
                            static_cast<std::int64_t>(1 + reply_.text.size() / bytes_of_token)};
    }
    reply_.model = key_.redact(reply_.model);
    for (auto& call : reply_.calls)
        for (auto* text : {&call.id, &call.name, &call.arguments}) *text = key_.redact(joined_halves(std::move(*text)));
    reply_.native.json.text = key_.redact(joined_halves(std::move(reply_.native.json.text)));
    return std::move(reply_);
}
}
