// The Messages protocol, which Anthropic defined and llama.cpp, vLLM, Ollama, OpenRouter and others serve. Pure: HTTP
// is in steps/models/http/http_model.hpp.
//
// Turns of user and assistant alternate: consecutive messages of one role become one turn, with the results of calls
// first. Instructions go into a separate member, wherever they were. A reply has at most 8192 tokens unless the request
// sets a limit, because the protocol requires one. The prompt's tokens include those read from and written into the
// cache. Thinking is not text; Native returns it with its signature. Only message_stop or a stop reason ends a stream.
#pragma once
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/protocol.hpp"

namespace weft::models {
extern const Protocol anthropic_messages;
std::string anthropic_request(const ChatRequest&, const std::string& model, bool stream, const Features&);
std::unique_ptr<ReplyReader> anthropic_reader(const ChatRequest&, const Secret& key);
}
