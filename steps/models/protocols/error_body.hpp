// What the body of an error says, in whatever form one of the known servers writes it. Pure; internal to fault.cpp.
//
//     const auto body = read_error_body(R"({"error":{"code":"insufficient_quota","message":"..."}})", key);
//
// Its shape is not trusted: a member that is missing or of another type is skipped.
#pragma once
#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace weft::models {
class Secret;
struct ErrorBody {
    std::string text;        // for people: a part of it, on one line, without the key; may be empty
    std::string code;        // as the provider calls it: "insufficient_quota", "RESOURCE_EXHAUSTED"
    std::string request_id;  // the provider's, for its support
    std::string codes;       // every code, type and reason in it, in lower case, with blanks between
    std::string words;       // the text in lower case without quotes, longer than what is shown
    unsigned status = 0;     // if it repeats one
    std::optional<std::chrono::milliseconds> wait;  // as long as it asks to wait
    bool has(const char* part) const { return codes.find(part) != std::string::npos; }
    bool says(const char* phrase) const { return words.find(phrase) != std::string::npos; }
};
/// A part of a text of the server, fit to be shown. A quote that is cut must not end in the middle of a key, so the key
/// goes first.
std::string quote(std::string_view, const Secret& key, std::size_t limit = 300);

ErrorBody read_error_body(std::string_view body, const Secret& key);
/// The error object, or the envelope that it comes in.
ErrorBody read_error_object(const nlohmann::json&, const Secret& key);
bool is_out_of_money(const ErrorBody&);
/// The quota of a day is used up. If a server says that only in words, and asks to wait, the wait counts.
bool is_daily(const ErrorBody&);
/// By the code where the server gives one; else by the words in which the usual servers say it.
bool is_too_long(const ErrorBody&);
bool lacks_tools(const ErrorBody&);
/// The server supports tools, but not in a stream: llama.cpp until 2025, and Bedrock's Llama.
bool lacks_streamed_tools(const ErrorBody&);
bool is_filtered(const ErrorBody&);
/// The status that an error object stands for; 0: it does not say.
unsigned status_of(const ErrorBody&);
}
