// Maps a protocol's finish reason. One table serves all protocols, because a gateway passes on its server's reasons.
#pragma once
#include "steps/models/chat_model.hpp"
#include <string>
#include <string_view>

namespace weft::models {
/// `reason`: a protocol's word, in any case; `said`: a sentence with it, without secrets. Throws Fault if the server
/// broke the reply off, or could not parse a call: reasons with "MALFORMED_FUNCTION_CALL" and similar words.
FinishReason finish_of(std::string_view reason, const std::string& said = {});
/// Throws finish_of's Fault for a call that the server could not parse. `reason`: of the server behind a gateway.
void throw_if_unreadable(std::string_view reason, const std::string& said = {});
}
