// The content of a server's error, in any known form: with any status, as the document of a body, in a stream, or as
// plain text. Pure; internal to fault.cpp.
//
//     const auto body = read_error_body(R"({"error":{"code":"insufficient_quota","message":"..."}})", key);
//
// Its shape is not trusted: a member that is missing or of another type is skipped. An error may be wrapped several
// times, also as JSON in a string, as gateways pass on what the server behind them has said; all of it is read.
// Its meaning is the business of error_meaning.hpp.
#pragma once
#include "steps/models/protocols/asked_wait.hpp"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::models {
class Secret;
struct ErrorBody {
    std::string text;        // for people: a part of it, on one line, without the key; may be empty
    std::string code;        // as the provider calls it: "insufficient_quota", "RESOURCE_EXHAUSTED"
    std::string request_id;  // the provider's, for its support
    std::string codes;       // every code, type and reason in it, in lower case, with blanks between
    std::string words;       // the text in lower case without quotes, longer than what is shown
    std::string refusal;     // the same with quotes, and with the names of parameters and the codes
    std::string written;     // what the model had written that the server could not read; for people and models
    std::string reset;       // the point of time until which it asks to wait, as until_point reads it
    unsigned status = 0;     // if it repeats one
    bool page = false;       // it is a page for browsers, which says nothing of use
    AskedWait wait;          // as long as it asks to wait
    bool has(const char* part) const { return codes.find(part) != std::string::npos; }
    bool says(const char* phrase) const { return words.find(phrase) != std::string::npos; }
};
/// A part of a text of the server, fit to be shown. A quote that is cut must not end in the middle of a key, so the key
/// goes first.
std::string quote(std::string_view, const Secret& key, std::size_t limit = 300);

ErrorBody read_error_body(std::string_view body, const Secret& key);
/// The error object, or the envelope that it comes in.
ErrorBody read_error_object(const nlohmann::json&, const Secret& key);
/// Whether a JSON document that came with status 200, or a part of a stream, is an error and no reply of any protocol.
bool is_error(const nlohmann::json&);
}
