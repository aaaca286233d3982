// The message of a chat completion besides its text, put together from deltas or taken whole: its calls, and what only
// the server understands. Internal to the protocol.
//
//     MessageParts parts(call_ids::next(request.messages));
//     parts.take_delta(delta);                // as often as one comes
//     parts.finish(text, cut, reply);         // gives reply.calls and reply.native
//
// Calls are put together by `index`. Servers differ, so this is what the pieces mean:
//   no index         the call with the same id; without an id, a name begins a call, and else the last one goes on
//   id               once, or the same each time; another one for the same index is a Fault
//   name             the whole name once more is a repetition; else a piece, as long as no arguments have come
//   arguments        pieces of a text, kept as they are; an object becomes its text. The whole object once more, after
//                    it is complete, is a repetition
// Unknown members are kept: texts of reasoning and lists are appended to, of others the last value counts.
#pragma once
#include "steps/models/protocols/wire.hpp"
#include <map>

namespace weft::models {
class MessageParts {
public:
    explicit MessageParts(std::size_t calls_before) : calls_before_(calls_before) {}
    void take_delta(const wire::json& delta) { take(delta, false); }
    void take_whole(const wire::json& message) { take(message, true); }
    bool has_calls() const { return !calls_.empty() || legacy_.seen; }
    /// `cut`: the reply was too long, and a call without a name is what is left of one.
    void finish(const std::string& text, bool cut, ChatReply&);

private:
    struct Call {
        ToolCall call;
        wire::json extra = wire::json::object(), function_extra = wire::json::object();
        bool seen = false;
    };
    void take(const wire::json& message, bool whole);
    void take_call(const wire::json& piece, bool whole);
    Call& find(const wire::json& piece, bool whole);
    Call& at(std::int64_t index);
    void take_function(Call&, const wire::json& function);

    const std::size_t calls_before_;
    std::map<std::int64_t, Call> calls_;  // by index
    std::int64_t last_ = -1;
    std::size_t arguments_ = 0;  // bytes in all
    Call legacy_;                // function_call, which is older than tool_calls
    wire::json extra_ = wire::json::object();
};
}
