// Ollama's /api/chat: one JSON document per line in a stream, or a single one. Pure: HTTP is in
// steps/models/http/http_model.hpp.
//
// A call comes whole, with its arguments as a value, usually without an id. Thinking is not text: it becomes
// ChatReply::reasoning, and Native returns it. The API lacks tool choice: tools that must not be called are not sent. A
// schema is not sent with tools, because the model could not call them then.
#pragma once
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/protocol.hpp"

namespace weft::models {
extern const Protocol ollama_chat;
/// Reads an address in any form of Ollama's own: host, host:port, :port, and with a scheme.
net::Url ollama_base(std::string text);
std::string ollama_request(const ChatRequest&, const std::string& model, bool stream, const Features&);
std::unique_ptr<ReplyReader> ollama_reader(const ChatRequest&, const Secret& key);
}
