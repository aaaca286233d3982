// Checks the fields of an OpenAI-compatible request besides its messages, and refuses those that a workflow cannot
// follow. For request.cpp.
//
//     check_chat_options(fields);
//     request.conversation = conversation_of(fields);
//
// Throws OpenaiRefusal.
#pragma once
#include "workflows/server/openai/fields.hpp"

namespace weft::server {
inline constexpr std::size_t max_conversation_id = 128;
void check_chat_options(const OpenaiFields&);
void check_responses_options(const OpenaiFields&);
/// `metadata.conversation_id`, with letters, digits and . _ : - only; empty if missing.
std::string conversation_of(const OpenaiFields&);
std::string checked_conversation(const std::string& id, const std::string& field);
}
