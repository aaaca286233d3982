// OpenAI's Responses API, POST {base}/responses, as served by OpenAI, Azure, llama.cpp, vLLM and others. Pure: HTTP is
// in steps/models/http/http_model.hpp.
//
// The server stores nothing: each request has the whole conversation. A model's thoughts are items that only the server
// can read, and go back to it: ChatReply::native lists all items, if they have more than text and calls.
//
// The protocol has no stop sequences and no seed: the reader ends the reply, and the seed is not sent. Only
// response.completed, response.incomplete, response.failed, error or [DONE] ends a stream. Without deltas the text
// comes from the finished item. Unknown events and members are ignored.
#pragma once
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/protocol.hpp"

namespace weft::models {
extern const Protocol openai_responses;
std::string responses_request(const ChatRequest&, const std::string& model, bool stream, const Features&);
std::unique_ptr<ReplyReader> responses_reader(const ChatRequest&, const Secret& key);
/// See openai_reader_without_scanner (steps/models/protocols/openai.hpp).
std::unique_ptr<ReplyReader> responses_reader_without_scanner(const ChatRequest&, const Secret& key);
}
