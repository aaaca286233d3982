// Reads the content of a server's error in any known form: with any status, as a document, in a stream, or as plain
// text. Pure; internal to fault.cpp.
//
//     const auto body = read_error_body(R"({"error":{"code":"insufficient_quota","message":"..."}})", key);
//
// The reader skips members that are missing or of another type. An error may be wrapped several times, also as JSON in
// a string, because gateways pass on the error of the server behind them; all levels are read. error_meaning.hpp
// interprets the result.
#pragma once
#include "steps/models/protocols/wire/retry_after.hpp"
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::models {
class Secret;
struct ErrorBody {
    std::string text;        // for people: an excerpt on one line, without the key; may be empty
    std::string code;        // the provider's: "insufficient_quota", "RESOURCE_EXHAUSTED"
    std::string request_id;  // the provider's, for its support
    std::string codes;       // all codes, types and reasons, in lower case, separated by blanks
    std::string words;       // the text in lower case without quotes, longer than the excerpt
    std::string refusal;     // the same with quotes, plus parameter names and the codes
    std::string written;     // the model's text that the server could not parse; for people and models
    std::string reset;       // the time until which the server asks to wait, for until_point
    unsigned status = 0;     // the status that the body repeats; 0: none
    bool page = false;       // true for a web page, which has no useful text
    RetryAfter wait;         // the wait that the server asks for
    bool has(const char* part) const { return codes.find(part) != std::string::npos; }
    bool says(const char* phrase) const { return words.find(phrase) != std::string::npos; }
};
/// Returns an excerpt of a server's text for display. The key is removed first, because a cut key could
/// remain.
std::string quote(std::string_view, const Secret& key, std::size_t limit = 300);

ErrorBody read_error_body(std::string_view body, const Secret& key);
/// Reads an error object, or its envelope.
ErrorBody read_error_object(const nlohmann::json&, const Secret& key);
/// True if a JSON document with status 200, or a part of a stream, is an error and not a reply of any protocol.
bool is_error(const nlohmann::json&);
}
