// Errors of the OpenAI-compatible routes: a status, a JSON body with the four keys that clients read, and headers that
// tell the official SDK whether a retry makes sense.
//
//     const auto error = openai_no_route("POST", "/v1/embeddings");
//     auto status = error.status;                                // 404
//     auto body = openai_body(error);                            // {"error":{"message":...
//     for (auto& [name, value] : openai_headers(error)) ...
//
// The SDK tries twice more after 408, 409, 429 and 500 and above, unless x-should-retry says no. A failed run would
// execute and cost three times, so only a refusal before the run asks for a retry. Long messages are cut, and control
// characters replaced. All functions are pure: any thread may call them.
#pragma once
#include "engine/error.hpp"
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::server {
struct OpenaiError {
    int status = 400;
    std::string message;
    std::string type = "invalid_request_error";
    std::optional<std::string> param = {}, code = {};
    int retry_after = 0;  // seconds; 0: no Retry-After
};
/// The readers of requests throw it.
class OpenaiRefusal : public Error {
public:
    explicit OpenaiRefusal(OpenaiError refusal) : Error(Code::usage, refusal.message), refusal_(std::move(refusal)) {}
    const OpenaiError& error() const noexcept { return refusal_; }

private:
    OpenaiError refusal_;
};

std::string openai_body(const OpenaiError&);
/// The headers of the reply, with Content-Type.
std::vector<std::pair<std::string, std::string>> openai_headers(const OpenaiError&);

OpenaiError openai_unauthorized();                                                // 401
OpenaiError openai_no_model(std::string_view id, const std::string& known);       // 404
OpenaiError openai_no_route(std::string_view method, std::string_view path);      // 404
OpenaiError openai_wrong_method(std::string_view method, std::string_view path);  // 405
OpenaiError openai_not_json(std::string_view why);                                // 400
OpenaiError openai_too_busy(int retry_after);                                     // 429: no run has begun
OpenaiError openai_closing(int retry_after);                                      // 503: the server is shutting down
/// A run without an answer: 400 if its input is at fault, 504 for a timeout, else 500.
OpenaiError openai_run_failed(Code, std::string_view sentence);
}
