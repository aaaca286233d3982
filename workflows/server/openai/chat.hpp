// Writes answers of /v1/chat/completions: whole, or as a stream of server-sent events.
//
//     ChatStream stream(head, request.include_usage);
//     auto out = stream.begin();                          // the role; all of it is sent as it is, as text/event-stream
//     out += stream.piece("Salz");
//     out += stream.finish(OpenaiFinish::stop, usage);    // also the usage if it was asked for, and [DONE]
//
// Hold begin() back, and the headers with it, until the run has said something: a run that fails before that can still
// have a status. Afterwards fail() tells the error within the stream; the connection is closed behind it. Each method
// returns text; none throws but for want of memory. What comes after finish() or fail() is empty. One thread at a time,
// and each call in a statement of its own: the order of calls within an expression is the compiler's.
#pragma once
#include "workflows/server/openai/reply.hpp"
#include <string>
#include <string_view>

namespace weft::server {
std::string chat_completion(const OpenaiHead&, const OpenaiAnswer&);

class ChatStream {
public:
    ChatStream(OpenaiHead head, bool include_usage) : head_(std::move(head)), include_usage_(include_usage) {}
    /// Empty if it has begun; the other methods begin by themselves.
    std::string begin();
    std::string piece(std::string_view text);
    std::string finish(OpenaiFinish, const models::Usage&);
    std::string fail(const OpenaiError&);
    bool begun() const { return begun_; }

private:
    OpenaiHead head_;
    bool include_usage_, begun_ = false, ended_ = false;
};
}
