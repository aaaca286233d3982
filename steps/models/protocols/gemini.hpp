// generateContent, which Google defined. Pure: HTTP is in steps/models/http/http_model.hpp.
//
// The reader accepts server-sent events, a JSON array or one document, and calls without ids. A header has the key,
// never the address. Native returns the parts of a reply unchanged, because they have thought signatures. Calls from
// another protocol get Google's documented placeholder if a model demands a signature. Thoughts are not text; their
// tokens count as the completion's. A finish reason and the end of the body end a reply.
//
// Requests have at most five stop sequences, and no schema with tools for models before Gemini 3, which refuse both
// together. The reader and the caller compensate.
#pragma once
#include "steps/models/protocols/parts/reply_reader.hpp"
#include "steps/models/protocols/protocol.hpp"

namespace weft::models {
extern const Protocol gemini_generate;
std::string gemini_path(const std::string& model, bool stream);
std::string gemini_request(const ChatRequest&, const std::string& model, bool stream, const Features&);
std::unique_ptr<ReplyReader> gemini_reader(const ChatRequest&, const Secret& key);
}
