// Why a reply ends. One table has the reasons of all protocols, because a gateway passes on those of its server.
#pragma once
#include "steps/models/chat_model.hpp"
#include <string>
#include <string_view>

namespace weft::models {
/// `reason`: a protocol's word, in any case; `said`: a sentence beside it, without secrets. Throws Fault for a reply
/// that the server has broken off, and for a call that it could not read: those with "MALFORMED_FUNCTION_CALL" and
/// the like in their reason.
FinishReason finish_of(std::string_view reason, const std::string& said = {});
/// The latter alone, for the reason of the server behind a gateway.
void throw_if_unreadable(std::string_view reason, const std::string& said = {});
}
