// Interprets a server's error by its code, else by its words. Pure; internal to fault.cpp.
//
// The questions are independent of each other; fault.cpp asks them in order.
#pragma once
#include "steps/models/protocols/wire/error_body.hpp"

namespace weft::models {
bool is_out_of_money(const ErrorBody&);
/// True if the quota of a day is used up. If only the words say so, and the server asks to wait, the wait counts.
bool is_daily(const ErrorBody&);
/// True if the prompt is too long and a shorter one may succeed; also if a limit per minute is below this one request.
/// False if the requested length of the reply is the cause.
bool is_too_long(const ErrorBody&);
/// True if a shorter reply would be possible.
bool is_reply_too_long(const ErrorBody&);
/// True if the server could not parse the model's call or JSON document.
bool is_unreadable(const ErrorBody&);
bool lacks_tools(const ErrorBody&);
bool is_filtered(const ErrorBody&);
bool is_overloaded(const ErrorBody&);
/// True if a model or deployment does not exist; false: the address is probably wrong.
bool is_model_missing(const ErrorBody&);
/// Returns the status that the error means, for any status sent (0: none): 401 for a refused key and 429 for a limit,
/// which some servers send as 400 or 500. 0: unknown.
unsigned meant_status(unsigned status, const ErrorBody&);
}
