// Chat completions, which OpenAI defined and llama.cpp, vLLM, Groq, OpenRouter and others serve. Pure: HTTP is in
// steps/models/http/http_model.hpp.
//
// The reader tolerates missing or null usage, content, model and finish reason, one document instead of a stream, and
// an error object with status 200. steps/models/protocols/openai_message.hpp assembles the calls. A reply with calls
// has the finish reason tool_calls, whatever the server sends, unless the reply was cut off (length) or refused; a
// refused one has no calls.
//
// Reasoning is not text: ChatReply::reasoning is `reasoning_content`, as in DeepSeek, llama.cpp and vLLM, or else
// `reasoning`.
//
// ChatReply::native is set if the message has more than text and calls: reasoning, signatures. It goes back only
// together with calls of its message. Strict mode is requested for schemas that meet its rules.
#pragma once
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/protocol.hpp"

namespace weft::models {
extern const Protocol openai_chat;
std::string openai_request(const ChatRequest&, const std::string& model, bool stream, const Features&);
std::unique_ptr<ReplyReader> openai_reader(const ChatRequest&, const Secret& key);
/// Parses each chunk into a tree, without the scanner of the protocol's own reader
/// (steps/models/protocols/parts/text_chunk_scanner.hpp). Both give the same reply; tests and benchmarks compare them.
std::unique_ptr<ReplyReader> openai_reader_without_scanner(const ChatRequest&, const Secret& key);
}
