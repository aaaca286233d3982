// The member names come from the replies of real servers. An error is read twice: for its codes, which may be anywhere
// in it, and for its sentence, which is the innermost one.
#include "steps/models/protocols/wire/error_body.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/protocols/wire/wire.hpp"
#include "steps/models/secret.hpp"
#include <algorithm>
#include <charconv>

namespace weft::models {
namespace {
using wire::json;
using wire::member;
constexpr std::size_t longest_words = 4000, longest_code = 100, longest_nested = 64 * 1024;
constexpr std::size_t most_details = 16, most_sentences = 4;
constexpr int deepest = 6;
constexpr const char* reply_names[] = {"choices", "candidates", "output", "content", "delta", "response"};
constexpr const char* error_names[] = {"message",       "Message",      "detail",    "errors",
                                       "error_message", "errorMessage", "error_msg", "errorMsg",
                                       "error_type",    "error_code",   "msg",       "fault"};

bool is_empty(const json& value) {  // without comparing JSON, because each part of a stream comes here
    if (value.is_boolean()) return !value.get<bool>();
    if (value.is_number()) return value.get<double>() == 0;
    const auto* text = value.get_ptr<const std::string*>();
    return text ? text->empty() : value.empty();
}
/// Returns JSON inside a text, such as behind the names of exceptions; null if there is none.
json nested(std::string_view text) {
    const auto begin = text.find_first_of("{["), end = text.find_last_of("}]");
    if (begin == text.npos || end == text.npos || end < begin || text.size() > longest_nested) return nullptr;
    auto parsed = wire::parse_or_discard(text.substr(begin, end - begin + 1));
    return parsed.is_structured() ? parsed : json();
}
bool has_blank(const std::string& text) { return text.find_first_of(" \n") != text.npos; }
bool is_all_json(std::string_view text) {
    const auto inner = trimmed(text);
    return inner.starts_with('{') || inner.starts_with('[');
}

class ErrorReading {
public:
    ErrorReading(ErrorBody& body, const Secret& key) : body_(body), key_(key) {}
    void take(const json& value, int depth = 0) {
        if (depth > deepest) return;
        if (value.is_string())
            if (const auto inner = nested(value.get_ref<const std::string&>()); !inner.is_null())
                take(inner, depth + 1);
        if (value.is_array())
            for (std::size_t i = 0; i < std::min(value.size(), most_details); ++i) take(value[i], depth + 1);
        if (!value.is_object()) return;
        for (const char* name : {"error", "errors", "innererror", "detail", "details", "violations", "message",
                                 "metadata", "raw", "fault"})
            if (const auto& inner = member(value, name); !inner.is_null()) take(inner, depth + 1);
        take_codes(value);
        take_status(value);
        take_waits(value);
        take_names(value);
        if (const auto written = wire::text_or_empty(member(value, "failed_generation")); !written.empty())
            body_.written = written;
    }

private:
    void take_codes(const json& object) {
        for (const char* name : {"code", "type", "status", "reason", "error", "error_code", "error_type", "errorType",
                                 "__type", "quotaId", "finish_reason"}) {
            const auto& value = member(object, name);
            if (value.is_string() && !has_blank(value.get_ref<const std::string&>()))
                body_.codes += lower(code_of(value.get_ref<const std::string&>())) + " ";
            else if (value.is_number_integer()) body_.codes += value.dump() + " ";
        }
    }
    void take_status(const json& object) {
        for (const char* name : {"code", "status", "status_code", "statusCode", "error_code"}) {
            const auto& value = member(object, name);
            auto number = wire::count_or_zero(value);
            if (value.is_string()) {
                const auto& digits = value.get_ref<const std::string&>();
                std::from_chars(digits.data(), digits.data() + digits.size(), number);
            }
            if (number >= 400 && number < 600 && !body_.status) body_.status = static_cast<unsigned>(number);
        }
    }
    void take_waits(const json& object) {
        const auto note = [&](const json& value, double unit) {
            if (value.is_string()) {
                if (const auto wait = asked_duration(value.get_ref<const std::string&>())) body_.wait = wait;
                else if (const auto at = until_point(value.get_ref<const std::string&>(), {}); at && unit > 1)
                    body_.reset = value.get<std::string>().substr(0, longest_code);
            }
            if (!value.is_number()) return;
            const double ms = value.get<double>() * unit;
            if (ms >= 0 && ms < 365.0 * 24 * 3600 * 1000)
                body_.wait = std::chrono::milliseconds(static_cast<long long>(ms));
        };
        for (const char* name : {"retryDelay", "retry_after", "retryAfter", "retry_after_seconds", "estimated_time"})
            note(member(object, name), 1000);
        for (const char* name : {"retry_after_ms", "retryAfterMs"}) note(member(object, name), 1);
        const auto& headers = member(object, "headers");  // headers of the server behind a gateway
        for (const char* name : {"X-RateLimit-Reset", "x-ratelimit-reset", "Retry-After", "retry-after"}) {
            const auto& value = member(headers, name);
            if (value.is_string()) body_.reset = value.get<std::string>().substr(0, longest_code);
            if (value.is_number()) body_.reset = value.dump();
        }
    }
    void take_names(const json& object) {
        for (const char* name : {"param", "parameter", "field"})
            if (const auto text = wire::text_or_empty(member(object, name)); !text.empty())
                body_.refusal += " " + code_of(text);
    }

    std::string code_of(const std::string& text) const { return key_.redact(text.substr(0, longest_code)); }
    ErrorBody& body_;
    const Secret& key_;
};

/// Returns the place of a validator's finding: body.messages.0.content.
std::string place_of(const json& entry) {
    std::string place;
    const bool is_zod = member(entry, "path").is_array();  // a text would be the request's path
    const auto& parts = member(entry, is_zod ? "path" : "loc");
    if (parts.is_string()) return parts.get<std::string>();
    if (parts.is_array())
        for (const auto& part : parts)
            (place += place.empty() ? "" : ".") += part.is_string() ? part.get<std::string>() : part.dump();
    return place;
}
std::string sentence_of(const json& value, int depth = 0);
std::string sentence_of_list(const json& list, int depth) {
    std::string text;
    for (std::size_t i = 0, told = 0; i < std::min(list.size(), most_details) && told < most_sentences; ++i)
        if (const auto one = sentence_of(list[i], depth + 1); !one.empty()) {
            (text += text.empty() ? "" : "; ") += one;
            ++told;
        }
    return text;
}
std::string sentence_of_object(const json& object, int depth) {
    std::string text;
    for (const char* name : {"error", "message", "Message", "detail", "details", "base_resp", "status_msg",
                             "error_message", "errorMessage", "error_msg", "errorMsg", "error_description", "msg",
                             "faultstring", "fault", "errors", "title"}) {
        const auto& value = member(object, name);
        const auto said = is_empty(value) || value.is_boolean() ? std::string() : sentence_of(value, depth + 1);
        if (said.empty() || said == text) continue;
        const std::string_view called = name;
        const bool is_title = text.empty() && value.is_string() &&
                              (called == "error" || (called == "message" && member(object, "errors").is_array()));
        (text += text.empty() ? "" : ": ") += said;
        if (!is_title) break;  // "Bad Request" or "Validation failed" alone says little, and more may follow
    }
    if (const auto place = place_of(object); !place.empty()) text = place + ": " + text;
    if (const auto& raw = member(member(object, "metadata"), "raw"); !is_empty(raw)) {
        const auto said = sentence_of(raw, depth + 1);
        if (!said.empty() && said != text) (text += text.empty() ? "" : ": ") += said;
    }
    return text;
}
std::string sentence_of(const json& value, int depth) {
    if (depth > deepest) return {};
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const auto inner = is_all_json(text) ? nested(text) : json();
        const auto said = inner.is_null() ? std::string() : sentence_of(inner, depth + 1);
        return said.empty() ? text : said;
    }
    if (value.is_array()) return sentence_of_list(value, depth);
    return value.is_object() ? sentence_of_object(value, depth) : std::string();
}
/// Returns the only text of an object besides its codes: the sentence under an unknown name.
std::string only_sentence(const json& error) {
    const std::string* found = nullptr;
    if (error.is_object())
        for (const auto& [name, value] : error.items()) {
            if (!value.is_string() || name == "code" || name == "status" || name == "type") continue;
            if (found) return {};
            found = value.get_ptr<const std::string*>();
        }
    return found ? *found : std::string();
}
std::string text_of(const json& given) {
    auto text = sentence_of(given);
    if (text.empty()) text = only_sentence(given);
    const bool is_bare = given.size() == 1 && given.is_object() && given.contains("type");
    if (text.empty() && !given.is_null() && !is_bare) text = given.dump(-1, ' ', false, json::error_handler_t::replace);
    return text;
}
/// Returns the object with the code: `given`, or the innermost error in it.
const json& innermost(const json& given) {
    const json* error = &given;
    for (int depth = 0; depth < deepest; ++depth) {
        if (error->is_array() && !error->empty()) error = &(*error)[0];
        const auto& inner = member(*error, "error");
        if (!inner.is_object() || inner.empty()) break;
        error = &inner;
    }
    return *error;
}
std::string without_quotes(const std::string& text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto typographic = std::string_view(text).substr(i, 3);
        if (typographic == "\u2018" || typographic == "\u2019" || typographic == "\u201c" || typographic == "\u201d")
            i += 2;
        else if (text[i] != '\'' && text[i] != '"' && text[i] != '`') plain += text[i];
    }
    return plain;
}
/// Returns the data of an event if a body with an error status is a stream; else the text.
std::string_view event_data(std::string_view text) {
    for (std::string_view name : {"event:", "data:", "error:"})
        if (const auto at = text.find('{'); text.starts_with(name) && at != text.npos) return text.substr(at);
    return text;
}
bool is_the_text_error(const json& value) {
    const auto* text = value.get_ptr<const std::string*>();
    return text && *text == "error";
}
bool is_message(const json& value) {
    return value.is_object() && (value.contains("role") || value.contains("content") || value.contains("tool_calls"));
}
}

std::string quote(std::string_view text, const Secret& key, std::size_t limit) {
    return excerpt(key.redact(text), limit);
}
ErrorBody read_error_object(const json& given, const Secret& key) {
    ErrorBody body;
    ErrorReading(body, key).take(given);
    const auto& error = innermost(given);
    const auto text = key.redact(text_of(is_empty(error) ? json() : given));
    body.text = excerpt(text, 300);
    const auto known = lower(repair_utf8(utf8_cut(text, longest_words)));
    body.words = without_quotes(known);
    if (body.reset.empty() && !wait_in_words(body.words)) body.reset = point_in_words(body.words);
    body.refusal = utf8_cut(std::string(utf8_cut(known, longest_words * 3 / 4)) + lower(key.redact(body.refusal)) +
                                " " + key.redact(body.codes),
                            longest_words);
    body.written = quote(body.written, key);
    for (const char* name : {"code", "status", "type"})
        if (body.code.empty()) body.code = quote(wire::text_or_empty(member(error, name)), key, longest_code);
    for (const json* place : {&error, &given})
        if (body.request_id.empty())
            body.request_id = quote(wire::text_or_empty(member(*place, "request_id")), key, longest_code);
    return body;
}
ErrorBody read_error_body(std::string_view text, const Secret& key) {
    text = trimmed(text);
    ErrorBody nothing;
    nothing.page = text.starts_with('<');
    if (text.empty() || nothing.page) return nothing;
    const auto data = event_data(text);
    if (data.front() == '{' || data.front() == '[')
        for (const auto part : {data, data.substr(0, data.find('\n'))})  // all of it, or its first line
            if (const auto document = wire::parse_or_discard(repair_utf8(part)); document.is_structured())
                return read_error_object(document, key);
    return read_error_object(json(repair_utf8(text.substr(0, longest_words))), key);
}
bool is_error(const json& part) {
    if (part.is_string()) return has_blank(part.get_ref<const std::string&>());  // a sentence
    if (part.is_array()) return !part.empty() && part[0].is_object() && is_error(part[0]);
    if (!part.is_object()) return false;
    const auto is_given = [&](const char* name) { return !is_empty(member(part, name)); };
    const auto says_error = [&](const char* name) { return is_the_text_error(member(part, name)); };
    if (is_given("error") || says_error("type") || says_error("object")) return true;
    if (std::ranges::any_of(reply_names, is_given) || is_message(member(part, "message"))) return false;
    const auto& success = member(part, "success");
    return member(part, "error").is_structured() || (success.is_boolean() && !success.get<bool>()) ||
           wire::count_or_zero(member(member(part, "base_resp"), "status_code")) != 0 ||  // MiniMax always sends one
           says_error("status") || std::ranges::any_of(error_names, is_given);
}
}
