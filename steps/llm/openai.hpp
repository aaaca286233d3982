// Chat completions as OpenAI defined them and llama.cpp, vLLM, Groq, OpenRouter and others serve them. Pure: HTTP is in
// steps/llm/http_model.hpp.
//
// Read with tolerance: usage, content, model and finish reason may be missing or null; reasoning is not text; a
// server that was asked to stream may send one document instead; an error object may come with status 200.
#pragma once
#include "steps/llm/reply_reader.hpp"

namespace weft::llm {
extern const Protocol openai_chat;
}
