// The exception of a model without a reply: one sentence for people, a kind and details for programs.
//
//     catch (const ModelError& error) { if (is_availability(error.kind())) ask_another_model(); }
//
// The error's code names the failed part: the way to the server (model_unreachable), the request, key or account
// (model_refused), or the model's reply (model_failed).
#pragma once
#include "engine/describe.hpp"
#include "engine/error.hpp"

namespace weft::models {
enum class FaultKind {
    transient,        // the server is unreachable, or has a temporary problem
    throttled,        // too many requests
    permanent,        // the request, the key, the address or the account is wrong: a retry fails, too
    refused,          // the model or a filter declines to reply
    truncated,        // the reply broke off, or has no end
    unknown_outcome,  // the request was sent, and its outcome is unknown
};
BOOST_DESCRIBE_ENUM(FaultKind, transient, throttled, permanent, refused, truncated, unknown_outcome)
/// True if another server might succeed.
constexpr bool is_availability(FaultKind kind) {
    return kind == FaultKind::transient || kind == FaultKind::throttled || kind == FaultKind::unknown_outcome;
}

class ModelError : public Error {
public:
    struct Details {
        FaultKind kind = FaultKind::permanent;
        std::string provider_code;  // "insufficient_quota"; may be empty
        std::string request_id;     // the provider's, for its support; may be empty
        int attempts = 1;
        std::string partial;  // the text delivered before the failure
    };
    ModelError(Code code, const std::string& sentence, Details details)
        : Error(code, sentence), details_(std::move(details)) {}
    FaultKind kind() const noexcept { return details_.kind; }
    const Details& details() const noexcept { return details_; }

private:
    Details details_;
};
/// The prompt is longer than the model can read; a shorter one may succeed. Thrown before any delta.
struct PromptTooLong : ModelError {
    explicit PromptTooLong(const std::string& sentence, Details details = {})
        : ModelError(Code::model_refused, sentence, std::move(details)) {}
};
/// The request has tools, but the model or its server does not support them. Thrown before any delta.
struct ToolsUnsupported : ModelError {
    explicit ToolsUnsupported(const std::string& sentence, Details details = {})
        : ModelError(Code::model_refused, sentence, std::move(details)) {}
};
}
