#include "steps/llm/fault.hpp"
#include "engine/net/net_error.hpp"
#include "engine/utf8.hpp"
#include "steps/llm/retry.hpp"
#include "steps/llm/secret.hpp"
#include "steps/llm/wire.hpp"
#include <algorithm>
#include <array>

namespace weft::llm {
namespace {
using wire::json;
constexpr std::size_t longest_quote = 300;

struct Words {         // of an error body
    std::string text;  // for people; may be empty
    std::string code;  // error code and type, for us
};
// A quote that is cut must not end in the middle of a key, so the key goes first.
std::string quote(std::string_view text, const Secret& key, std::size_t limit = longest_quote) {
    return excerpt(key.redact(text), limit);
}
Words words_of(const json& error, const Secret& key) {
    Words words{quote(wire::error_text(error), key), {}};
    for (const char* name : {"code", "type"}) words.code += wire::text_or_empty(wire::member(error, name)) + " ";
    return words;
}
Words words_of(std::string_view body, const Secret& key) {
    const auto begin = body.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos || body[begin] == '<') return {};  // a page for browsers says nothing of use
    if (body[begin] == '{') {
        const auto document = json::parse(body, nullptr, false);
        if (document.is_object()) {
            const auto& error = wire::member(document, "error");
            return words_of(error.is_null() ? document : error, key);
        }
    }
    return {quote(body, key), {}};
}
bool is_out_of_money(const Words& words) {
    static constexpr std::array codes{"insufficient_quota", "quota_exceeded",     "billing_",        "credit",
                                      "spend_limit",        "insufficient_funds", "payment_required"};
    return std::any_of(codes.begin(), codes.end(),
                       [&](const char* code) { return words.code.find(code) != std::string::npos; });
}
/// By the code where the server gives one; else by the words in which the usual servers say it.
bool is_too_long(const Words& words) {
    static constexpr std::array phrases{
        "context length",  "context size",      "context window",    "prompt is too long",
        "prompt too long", "request too large", "reduce the length", "exceeds the maximum number of tokens"};
    std::string text = words.text;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; });
    return words.code.find("context_length") != std::string::npos ||
           words.code.find("exceed_context") != std::string::npos ||
           std::any_of(phrases.begin(), phrases.end(),
                       [&](const char* phrase) { return text.find(phrase) != std::string::npos; });
}
Fault too_long(const std::string& number, const std::string& quote) {
    Fault fault(Code::model_refused, "cannot read so long a conversation" + number + quote +
                                         "; shorten it or take a model with a longer context");
    fault.too_long = true;
    return fault;
}

Fault judge_status(unsigned status, const Words& words, const Hints& hints) {
    const std::string number = " (" + std::to_string(status) + ")";
    const std::string quote = words.text.empty() ? std::string() : ": " + words.text;
    if (status == 402 || (status == 429 && is_out_of_money(words)))
        return {Code::model_refused, "refused because the account has no credit left" + number + quote +
                                         "; add credit or take another model"};
    if (status == 401)  // what it says may repeat a part of the key
        return {Code::model_refused, "refused the key" + number + "; set " + hints.key_variable +
                                         ", in the environment or in .env, to a valid one"};
    if (status == 403)
        return {Code::model_refused,
                "does not allow this" + number + quote + "; check what the key in " + hints.key_variable + " may do"};
    if (status == 404) return {Code::model_refused, "was not found" + number + quote + "; " + hints.missing_model};
    if (status == 413 || is_too_long(words)) return too_long(number, quote);
    if (status == 429)
        return {Code::model_refused, "limits how often it is asked" + number + quote + "; try again later", Fault::any};
    if (status == 408 || status == 409 || status >= 500)
        return {Code::model_failed, "failed" + number + quote, Fault::any};
    return {Code::model_refused,
            "did not accept the request" + number + quote + "; check the model's name, the base URL and the options"};
}
}

Fault judge(const Answer& answer, const Hints& hints, const Secret& key, WallTime now) {
    if (answer.status / 100 == 3)
        return {Code::model_refused, "redirects to another address (" + std::to_string(answer.status) + ") " +
                                         quote(answer.location, key, 200) + "; give that as the base URL"};
    if (answer.status / 100 == 2 || answer.status / 100 == 1)
        return {Code::model_failed, "answered with the status " + std::to_string(answer.status) +
                                        ", which is no reply; check the base URL"};
    Fault fault = judge_status(answer.status, words_of(answer.body, key), hints);
    if (answer.should_retry == "true") fault.retries = Fault::any;
    if (answer.should_retry == "false") fault.retries = 0;
    fault.floor = asked_wait(answer.retry_after_ms, answer.retry_after, now);
    return fault;
}
Fault judge(const net::NetError& error, const Hints& hints) {
    using net::Failure;
    const std::string sentence = error.what();
    switch (error.failure()) {
    case Failure::proxy_refused:
    case Failure::tls_refused: return {error.code(), "cannot be reached: " + sentence};
    case Failure::name_lookup: return {error.code(), "cannot be reached: " + sentence, 1};
    case Failure::connect:
    case Failure::name_service:
    case Failure::tls_failed:
        return {error.code(), "cannot be reached: " + sentence + "; " + hints.unreachable, Fault::any};
    case Failure::timed_out:
        return {error.code(), "took too long: " + sentence, error.phase() == net::Phase::total ? 0 : Fault::any};
    case Failure::too_large: return {error.code(), "sent too much: " + sentence};
    case Failure::reset:
    case Failure::truncated:
    case Failure::protocol: break;
    }
    return {error.code(), "sent no usable reply: " + sentence, Fault::any};
}
Fault judge_error_object(const json& error, const Hints& hints, const Secret& key) {
    const Words words = words_of(error, key);
    const auto has = [&](const char* part) { return words.code.find(part) != std::string::npos; };
    unsigned status = 0;
    for (const char* name : {"code", "status", "status_code"})
        if (const auto number = wire::count_or_zero(wire::member(error, name));
            number >= 400 && number < 600 && !status)
            status = static_cast<unsigned>(number);
    if (!status && (is_out_of_money(words) || has("rate_limit") || has("too_many"))) status = 429;
    if (!status && (has("authentication") || has("invalid_api_key"))) status = 401;
    if (!status && has("not_found")) status = 404;
    if (!status && (has("invalid_request") || is_too_long(words))) status = 400;
    if (status) return judge_status(status, words, hints);
    return {Code::model_failed, "failed: " + (words.text.empty() ? "it did not say why" : words.text), Fault::any};
}
Fault broken(const std::string& what) { return {Code::model_failed, what, 1}; }
}
