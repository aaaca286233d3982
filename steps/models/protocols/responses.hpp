// OpenAI's Responses API, POST {base}/responses, as OpenAI, Azure, llama.cpp, vLLM and others serve it. Pure: HTTP is
// in steps/models/http/http_model.hpp.
//
// Nothing is stored at the server: each request carries the whole conversation. What a model has thought comes as
// items that only the server can read, and goes back with the others: ChatReply::native is the list of all items, if
// it says more than text and calls.
//
// The protocol has no stop sequences and no seed: the reader stops by itself, and the seed is not sent. A stream ends
// by response.completed, response.incomplete, response.failed or error; else it broke off. Where a server leaves out
// deltas, the text is taken from the finished item. Events and members that are not known do no harm.
#pragma once
#include "steps/models/protocols/protocol.hpp"
#include "steps/models/protocols/reply_reader.hpp"

namespace weft::models {
extern const Protocol openai_responses;
std::string responses_request(const ChatRequest&, const std::string& model, bool stream, const Features&);
std::unique_ptr<ReplyReader> responses_reader(const ChatRequest&, const Secret& key);
/// As openai_reader_without_scanner (steps/models/protocols/openai.hpp).
std::unique_ptr<ReplyReader> responses_reader_without_scanner(const ChatRequest&, const Secret& key);
}
