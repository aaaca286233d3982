// Chat completions as OpenAI defined them and llama.cpp, vLLM, Groq, OpenRouter and others serve them. Pure: HTTP is in
// steps/models/http/http_model.hpp.
//
// Read with tolerance: usage, content, model and finish reason may be missing or null; a server that was asked to
// stream may send one document instead; an error object may come with status 200. How calls are put together stands in
// steps/models/protocols/openai_message.hpp. A reply with calls has the finish reason tool_calls whatever the server
// calls it, unless it was cut off (length) or refused; a refused one has no calls.
//
// Reasoning is not text: `reasoning_content`, as DeepSeek, llama.cpp and vLLM call it, or else `reasoning` is
// ChatReply::reasoning.
//
// ChatReply::native is there if the message says more than text and calls: reasoning, signatures. It goes back with
// the calls of that message, and with nothing else. Strict mode is asked for where a schema keeps to it.
#pragma once
#include "steps/models/protocols/protocol.hpp"
#include "steps/models/protocols/reply_reader.hpp"

namespace weft::models {
extern const Protocol openai_chat;
std::string openai_request(const ChatRequest&, const std::string& model, bool stream, const Features&);
std::unique_ptr<ReplyReader> openai_reader(const ChatRequest&, const Secret& key);
/// Makes a tree of every chunk, also of those that the protocol's own reader leaves to the scanner
/// (steps/models/protocols/text_chunk_scanner.hpp). Both give the same reply; tests and benchmarks compare them.
std::unique_ptr<ReplyReader> openai_reader_without_scanner(const ChatRequest&, const Secret& key);
}
