// The lists of words and codes were collected from what servers really send. Where a code says one thing and the status
// another, the code wins: Gemini gives 400 for a wrong key.
#include "steps/models/protocols/error_body.hpp"
#include "engine/text.hpp"
#include "engine/utf8.hpp"
#include "steps/models/protocols/asked_wait.hpp"
#include "steps/models/protocols/wire.hpp"
#include "steps/models/secret.hpp"
#include <algorithm>
#include <array>

namespace weft::models {
namespace {
using wire::json;
using wire::member;
constexpr std::size_t longest_words = 4000, longest_code = 100, most_details = 16;

template <std::size_t n> bool any_of(const std::array<const char*, n>& parts, const std::string& text) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const char* part) { return text.find(part) != std::string::npos; });
}
/// Codes of one object go to the others; nothing else of it is looked at.
void take_codes(ErrorBody& body, const json& object) {
    for (const char* name : {"code", "type", "status", "reason", "error_code", "quotaId"})
        if (const auto& value = member(object, name); value.is_string())
            body.codes += lower(value.get_ref<const std::string&>().substr(0, longest_code)) + " ";
}
void take_details(ErrorBody& body, const json& details) {
    if (details.is_object()) take_codes(body, details);
    if (!details.is_array()) return;
    for (std::size_t i = 0; i < std::min(details.size(), most_details); ++i) {
        take_codes(body, details[i]);
        if (const auto wait = asked_duration(wire::text_or_empty(member(details[i], "retryDelay")))) body.wait = wait;
        const auto& violations = member(details[i], "violations");
        if (violations.is_array())
            for (std::size_t k = 0; k < std::min(violations.size(), most_details); ++k) take_codes(body, violations[k]);
    }
}
void take_status(ErrorBody& body, const json& error) {
    for (const char* name : {"code", "status", "status_code"})
        if (const auto number = wire::count_or_zero(member(error, name)); number >= 400 && number < 600 && !body.status)
            body.status = static_cast<unsigned>(number);
}
}

std::string quote(std::string_view text, const Secret& key, std::size_t limit) {
    return excerpt(key.redact(text), limit);
}
ErrorBody read_error_object(const json& given, const Secret& key) {
    const json& inner = member(given, "error");
    const json& error = inner.is_null() ? given : inner;
    ErrorBody body;
    const auto text = key.redact(wire::error_text(error));
    body.text = excerpt(text, 300);
    body.words = lower(repair_utf8(utf8_cut(text, longest_words)));
    body.words.erase(
        std::remove_if(body.words.begin(), body.words.end(), [](char c) { return c == '\'' || c == '"' || c == '`'; }),
        body.words.end());
    for (const char* name : {"code", "status", "type"})
        if (body.code.empty()) body.code = quote(wire::text_or_empty(member(error, name)), key, longest_code);
    for (const json* place : {&error, &given})
        if (body.request_id.empty())
            body.request_id = quote(wire::text_or_empty(member(*place, "request_id")), key, longest_code);
    take_codes(body, error);
    take_codes(body, member(error, "innererror"));
    take_details(body, member(error, "details"));
    take_status(body, error);
    return body;
}
ErrorBody read_error_body(std::string_view text, const Secret& key) {
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos || text[begin] == '<') return {};  // a page for browsers says nothing of use
    if (text[begin] == '{' || text[begin] == '[') {
        auto document = json::parse(text, nullptr, false);
        if (document.is_array() && !document.empty() && document[0].is_object()) {  // as Gemini wraps it
            json first = std::move(document[0]);
            document = std::move(first);
        }
        if (document.is_object()) return read_error_object(document, key);
    }
    return read_error_object(json(std::string(text.substr(0, longest_words))), key);
}
bool is_out_of_money(const ErrorBody& body) {
    static constexpr std::array codes{
        "insufficient_quota",  "billing", "credit", "spend_limit", "insufficient_funds", "payment_required",
        "insufficient_balance"};
    // By itself: token_quota_exceeded and the like are limits of a minute.
    if ((" " + body.codes).find(" quota_exceeded ") != std::string::npos && !body.wait) return true;
    return any_of(codes, body.codes) || body.says("credit balance is too low");
}
bool is_daily(const ErrorBody& body) {
    if (body.has("perday") || body.has("per_day")) return true;
    return !body.wait && (body.says("per day") || body.says("per-day"));
}
bool is_too_long(const ErrorBody& body) {
    static constexpr std::array codes{"context_length", "exceed_context", "request_too_large"};
    static constexpr std::array phrases{
        "context length",  "context size",      "context window",    "prompt is too long",
        "prompt too long", "request too large", "reduce the length", "exceeds the maximum number of tokens"};
    return any_of(codes, body.codes) || any_of(phrases, body.words);
}
bool lacks_tools(const ErrorBody& body) {
    static constexpr std::array phrases{"not support tools",
                                        "not support tool use",
                                        "not support tool call",
                                        "not support function",
                                        "doesnt support tool",
                                        "tools param requires --jinja",
                                        "enable-auto-tool-choice",
                                        "endpoints found that support tool",
                                        "tools is not supported",
                                        "tools are not supported",
                                        "tool use is not supported",
                                        "tool calling is not supported",
                                        "tool calls are not supported",
                                        "function calling is not"};
    return any_of(phrases, body.words);
}
bool lacks_streamed_tools(const ErrorBody& body) {
    static constexpr std::array phrases{"cannot use tools with stream", "tool use in streaming mode"};
    return any_of(phrases, body.words);
}
bool is_filtered(const ErrorBody& body) {
    static constexpr std::array codes{"content_filter", "content_policy", "responsibleaipolicy"};
    return any_of(codes, body.codes);
}
unsigned status_of(const ErrorBody& body) {
    if (body.has("api_key_invalid")) return 401;  // Gemini says 400
    if (body.status) return body.status;
    static constexpr std::pair<const char*, unsigned> known[] = {
        {"overloaded", 529},     {"rate_limit", 429},        {"too_many", 429},        {"resource_exhausted", 429},
        {"authentication", 401}, {"invalid_api_key", 401},   {"unauthenticated", 401}, {"permission", 403},
        {"not_found", 404},      {"request_too_large", 413}, {"timeout_error", 504},   {"api_error", 500},
        {"server_error", 500},   {"unavailable", 503},       {"invalid", 400},         {"failed_precondition", 400}};
    if (is_out_of_money(body)) return 402;
    for (const auto& [code, status] : known)
        if (body.has(code)) return status;
    return is_too_long(body) || lacks_tools(body) || is_filtered(body) ? 400 : 0;
}
}
