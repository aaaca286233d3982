// The parts of a request to the OpenAI-compatible routes beside its messages: what is refused because a workflow cannot
// follow it, and what is taken. For openai_request.cpp.
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
/// `metadata.conversation_id`; empty if there is none. Letters, digits and . _ : - only.
std::string conversation_of(const OpenaiFields&);
std::string checked_conversation(const std::string& id, const std::string& field);
}
