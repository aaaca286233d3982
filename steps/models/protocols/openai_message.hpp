// Assembles the message of a chat completion besides its text, from deltas or from a whole message: its calls, and
// members that only the server understands. Internal to the protocol.
//
//     MessageParts parts(request);
//     parts.take_delta(delta);                // for each delta
//     parts.finish(text, false, cut, reply);  // sets reply.calls and reply.native
//
// steps/models/protocols/parts/call_assembler.hpp assembles the calls; a call may lack its `function`. Unknown members
// are kept: texts of reasoning and lists grow; the last value of any other member counts.
#pragma once
#include "steps/models/protocols/parts/call_assembler.hpp"
#include "steps/models/protocols/wire/wire.hpp"

namespace weft::models {
class MessageParts {
public:
    explicit MessageParts(const ChatRequest& request) : calls_(request), legacy_(request) {}
    void take_delta(const wire::json& delta) { take(delta, false); }
    void take_whole(const wire::json& message) { take(message, true); }
    bool has_calls() const { return !calls_.empty() || !legacy_.empty(); }
    /// `text`: as the model wrote it. `reasons`: it includes reasoning, which goes back with calls. `cut`: the reply
    /// was cut for its length.
    void finish(const std::string& text, bool reasons, bool cut, ChatReply&);

private:
    struct ExtraMembers {  // unknown members of a call
        wire::json call = wire::json::object(), function = wire::json::object();
    };
    void take(const wire::json& message, bool whole);
    void take_call(const wire::json& piece, bool whole, std::int64_t place);
    Native keep(const ChatReply&, const std::string& text, const std::vector<std::size_t>& numbers);

    CallAssembler calls_, legacy_;      // legacy_: function_call, the predecessor of tool_calls
    std::vector<ExtraMembers> extras_;  // by number of the call
    wire::json extra_ = wire::json::object();
};
}
