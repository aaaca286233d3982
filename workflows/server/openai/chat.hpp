// Writes answers of /v1/chat/completions: whole, or as a stream of server-sent events.
//
//     ChatStream stream(head, request.include_usage);
//     auto out = stream.begin();                          // the role; send all texts as text/event-stream
//     out += stream.piece("Salz");
//     out += stream.finish(OpenaiFinish::stop, usage);    // the usage if requested, and [DONE]
//
// Send the headers and begin() only with the first text: a run that fails before can still have a status. Afterwards
// fail() writes the error into the stream; then close the connection. Each method returns text, empty after finish() or
// fail(), and throws only std::bad_alloc. Only one thread at a time may use an object. Call each method in a statement
// of its own, since an expression has no fixed order of calls.
#pragma once
#include "workflows/server/openai/reply.hpp"
#include <string>
#include <string_view>

namespace weft::server {
std::string chat_completion(const OpenaiHead&, const OpenaiAnswer&);

class ChatStream {
public:
    ChatStream(OpenaiHead head, bool include_usage) : head_(std::move(head)), include_usage_(include_usage) {}
    /// Empty if the stream has begun; the other methods begin by themselves.
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
