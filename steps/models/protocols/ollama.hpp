// Ollama's /api/chat: one JSON document per line while it streams, or one alone. Pure: HTTP is in
// steps/models/http/http_model.hpp.
//
// A call comes whole, its arguments as a value, mostly without an id. Thinking is not text: it is ChatReply::reasoning,
// and goes back in Native. There is no tool choice: tools that must not be called are not sent. A schema is not sent
// beside tools, because it would keep the model from calling them.
#pragma once
#include "steps/models/protocols/protocol.hpp"
#include "steps/models/protocols/reply_reader.hpp"

namespace weft::models {
extern const Protocol ollama_chat;
/// An address in any form that Ollama itself takes: host, host:port, :port, and with a scheme.
net::Url ollama_base(std::string text);
std::string ollama_request(const ChatRequest&, const std::string& model, bool stream, const Features&);
std::unique_ptr<ReplyReader> ollama_reader(const ChatRequest&, const Secret& key);
}
