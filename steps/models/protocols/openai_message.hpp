// The message of a chat completion besides its text, put together from deltas or taken whole: its calls, and what only
// the server understands. Internal to the protocol.
//
//     MessageParts parts(request);
//     parts.take_delta(delta);                // as often as one comes
//     parts.finish(text, false, cut, reply);  // gives reply.calls and reply.native
//
// Calls are put together by steps/models/protocols/call_assembler.hpp; a call may stand without its `function`.
// Unknown members are kept: texts of reasoning and lists are appended to, of others the last value counts.
#pragma once
#include "steps/models/protocols/call_assembler.hpp"
#include "steps/models/protocols/wire.hpp"

namespace weft::models {
class MessageParts {
public:
    explicit MessageParts(const ChatRequest& request) : calls_(request), legacy_(request) {}
    void take_delta(const wire::json& delta) { take(delta, false); }
    void take_whole(const wire::json& message) { take(message, true); }
    bool has_calls() const { return !calls_.empty() || !legacy_.empty(); }
    /// `text`: as the model wrote it. `reasons`: it has reasoning in it, which goes back with calls. `cut`: the reply
    /// was too long.
    void finish(const std::string& text, bool reasons, bool cut, ChatReply&);

private:
    struct Extra {  // of a call: members that nobody here knows
        wire::json call = wire::json::object(), function = wire::json::object();
    };
    void take(const wire::json& message, bool whole);
    void take_call(const wire::json& piece, bool whole, std::int64_t place);
    Native keep(const ChatReply&, const std::string& text, const std::vector<std::size_t>& numbers);

    CallAssembler calls_, legacy_;  // function_call, which is older than tool_calls
    std::vector<Extra> extras_;     // by the number of the call
    wire::json extra_ = wire::json::object();
};
}
