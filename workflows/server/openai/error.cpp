// The status selects the exception that the official SDK throws; the other members are for people.
#include "workflows/server/openai/error.hpp"
#include "engine/json/line.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/server/openai/json.hpp"

namespace weft::server {
namespace {
constexpr std::size_t longest_message = 2000, longest_name = 80;

std::string quoted(std::string_view name) { return '"' + excerpt(name, longest_name) + '"'; }
OpenaiError server_error(int status, std::string_view sentence, std::string_view code) {
    return {.status = status,
            .message = excerpt(sentence, longest_message),
            .type = "server_error",
            .code = std::string(code)};
}
}

std::string openai_body(const OpenaiError& error) {
    nlohmann::ordered_json inner = {
        {"message", error.message}, {"type", error.type}, {"param", nullptr}, {"code", nullptr}};
    if (error.param) inner["param"] = *error.param;
    if (error.code) inner["code"] = *error.code;
    return json_line(nlohmann::ordered_json{{"error", std::move(inner)}});
}
std::vector<std::pair<std::string, std::string>> openai_headers(const OpenaiError& error) {
    std::vector<std::pair<std::string, std::string>> headers = {{"Content-Type", "application/json"}};
    const bool may_retry = error.status == 429 || error.status == 503;
    if (may_retry || error.status >= 500 || error.status == 408 || error.status == 409)
        headers.emplace_back("x-should-retry", may_retry ? "true" : "false");
    if (error.retry_after > 0) headers.emplace_back("Retry-After", std::to_string(error.retry_after));
    if (error.status == 401) headers.emplace_back("WWW-Authenticate", "Bearer");
    return headers;
}

OpenaiError openai_unauthorized() {
    return {.status = 401,
            .message = "the API key is missing or wrong: send the server's token as \"Authorization: Bearer TOKEN\"",
            .code = "invalid_api_key"};
}
OpenaiError openai_no_model(std::string_view id, const std::string& known) {
    return {.status = 404,
            .message = "there is no model " + quoted(id) + "; there are " + known,
            .param = "model",
            .code = "model_not_found"};
}
OpenaiError openai_no_route(std::string_view method, std::string_view path) {
    return {.status = 404,
            .message = "there is no " + excerpt(method, longest_name) + ' ' + excerpt(path, longest_name) +
                       ": the base URL is the address of this server with /v1 at its end, and there are /v1/models, "
                       "/v1/chat/completions and /v1/responses",
            .code = "unknown_url"};
}
OpenaiError openai_wrong_method(std::string_view method, std::string_view path) {
    return {.status = 405,
            .message = excerpt(path, longest_name) + " takes no " + excerpt(method, longest_name) +
                       ": use GET for models, and POST for answers",
            .code = "method_not_supported"};
}
OpenaiError openai_not_json(std::string_view why) {
    return {.message = "the body is not valid JSON: " + excerpt(why, longest_message)};
}
OpenaiError openai_too_busy(int retry_after) {
    return {.status = 429,
            .message = "this server has too many unfinished runs: try again later",
            .type = "rate_limit_error",
            .code = "rate_limit_exceeded",
            .retry_after = retry_after};
}
OpenaiError openai_closing(int retry_after) {
    auto error = server_error(503, "the server is shutting down: try again later", "shutting_down");
    error.retry_after = retry_after;
    return error;
}
OpenaiError openai_run_failed(Code code, std::string_view sentence) {
    if (sentence.empty()) sentence = "the run has failed";
    if (code == Code::timed_out) return server_error(504, sentence, name(code));
    if (code != Code::usage && code != Code::bad_json) return server_error(500, sentence, name(code));
    return {.message = excerpt(sentence, longest_message), .code = std::string(name(code))};
}
}
