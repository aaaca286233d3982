// generateContent as Google defined it. Pure: HTTP is in steps/models/http/http_model.hpp.
//
// Read with tolerance: server-sent events, a JSON array in their place, one document; ids of calls may be missing. The
// key goes in a header, never in the address. The parts of a reply go back as they came, in Native, for thought
// signatures are in them. Calls that came by another protocol are sent with the signature that Google documents for
// them, where a model demands one. Thoughts are not text; their tokens count as the completion's. A reply has ended
// when it has a finish reason and the body is over.
//
// Of stop sequences the first five are sent, and a schema not to models before Gemini 3 while they have tools: they
// refuse the two together. Reader and caller see to the rest.
#pragma once
#include "steps/models/protocols/protocol.hpp"
#include "steps/models/protocols/reply_reader.hpp"

namespace weft::models {
extern const Protocol gemini_generate;
std::string gemini_path(const std::string& model, bool stream);
std::string gemini_request(const ChatRequest&, const std::string& model, bool stream, const Features&);
std::unique_ptr<ReplyReader> gemini_reader(const ChatRequest&, const Secret& key);
}
