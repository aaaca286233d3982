// Messages as Anthropic defined them and llama.cpp, vLLM, Ollama, OpenRouter and others serve them. Pure: HTTP is in
// steps/models/http/http_model.hpp.
//
// Turns of user and assistant alternate here: messages of one role in a row become one, the results of calls first.
// Instructions are sent apart, wherever they stood. A reply has at most 8192 tokens unless the request says otherwise,
// as the protocol wants a number. The tokens of a prompt are all that was read: anew, into the cache and from it.
// Thinking is not text; with its signature it goes back in Native. A stream ends by message_stop alone.
#pragma once
#include "steps/models/protocols/protocol.hpp"
#include "steps/models/protocols/reply_reader.hpp"

namespace weft::models {
extern const Protocol anthropic_messages;
std::string anthropic_request(const ChatRequest&, const std::string& model, bool stream, const Features&);
std::unique_ptr<ReplyReader> anthropic_reader(const ChatRequest&, const Secret& key);
}
