// Writes answers of /v1/responses: whole, or as a stream of server-sent events.
//
//     ResponsesStream stream(head);
//     auto out = stream.begin();                          // response.created, response.in_progress
//     out += stream.piece("Salz");
//     out += stream.finish(OpenaiFinish::stop, usage);    // ... response.completed; no [DONE]
//
// ResponsesStream otherwise works as ChatStream (chat.hpp). An answer at a limit has the status "incomplete", with the
// reason max_output_tokens, the only reason that clients know. fail() writes the error twice, as clients expect: as the
// event `error`, which the official SDK throws, and in response.failed. A stream keeps its text, since the last events
// repeat it. Programs that call client.responses of the official SDK, such as tests/server/openai.mjs, need it.
#pragma once
#include "workflows/server/openai/reply.hpp"
#include <string>
#include <string_view>

namespace weft::server {
std::string response_json(const OpenaiHead&, const OpenaiAnswer&);

class ResponsesStream {
public:
    explicit ResponsesStream(OpenaiHead head) : head_(std::move(head)) {}
    /// Empty if the stream has begun; the other methods begin by themselves.
    std::string begin();
    std::string piece(std::string_view text);
    std::string finish(OpenaiFinish, const models::Usage&);
    std::string fail(const OpenaiError&);
    bool begun() const { return begun_; }

private:
    std::string open_message();
    OpenaiHead head_;
    std::string sent_;
    std::int64_t number_ = 0;  // the next event's
    bool begun_ = false, open_ = false, ended_ = false;
};
}
