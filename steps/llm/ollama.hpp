// Ollama's /api/chat: one JSON document per line while it streams, or one alone. Pure: HTTP is in
// steps/llm/http_model.hpp.
#pragma once
#include "steps/llm/reply_reader.hpp"

namespace weft::llm {
extern const Protocol ollama_chat;
}
