// The meaning of a server's error, by its code where there is one, else by its words. Pure; internal to fault.cpp.
//
// Each question stands for itself; fault.cpp has the order in which they are asked.
#pragma once
#include "steps/models/protocols/error_body.hpp"

namespace weft::models {
bool is_out_of_money(const ErrorBody&);
/// The quota of a day is used up. If a server says that only in words, and asks to wait for a while, the wait counts.
bool is_daily(const ErrorBody&);
/// The prompt is, and a shorter one may do: also where a limit of a minute is smaller than this one request. False if
/// the room that is asked for the reply is to blame.
bool is_too_long(const ErrorBody&);
/// Less room for the reply would do.
bool is_reply_too_long(const ErrorBody&);
/// The model wrote a call, or a JSON document, that its server could not read.
bool is_unreadable(const ErrorBody&);
bool lacks_tools(const ErrorBody&);
bool is_filtered(const ErrorBody&);
bool is_overloaded(const ErrorBody&);
/// A model is not there, or a deployment; false: it is rather the address that is wrong.
bool is_model_missing(const ErrorBody&);
/// The status that this error stands for, whatever status it came with (0: none): 401 for a refused key and 429 for a
/// limit, which some servers send as 400 or 500. 0: it does not say.
unsigned meant_status(unsigned status, const ErrorBody&);
}
