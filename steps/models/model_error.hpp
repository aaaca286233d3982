// What a model throws when there is no reply: one sentence for people, and a kind and details for programs.
//
//     catch (const ModelError& error) { if (is_availability(error.kind())) ask_another_model(); }
//
// The error's code says what failed: the way to the server (model_unreachable), the request, key or account
// (model_refused), or the model's reply (model_failed).
#pragma once
#include "engine/describe.hpp"
#include "engine/error.hpp"

namespace weft::models {
enum class FaultKind {
    transient,        // the server cannot be reached, or has a trouble that may pass
    throttled,        // asked too often
    permanent,        // the request, the key, the address or the account: it stays so until somebody changes it
    refused,          // the model, or a filter, will not reply to this
    truncated,        // the reply broke off, or came without an end
    unknown_outcome,  // the request was sent, and nobody knows what became of it
};
BOOST_DESCRIBE_ENUM(FaultKind, transient, throttled, permanent, refused, truncated, unknown_outcome)
/// Whether another server might do what this one did not.
constexpr bool is_availability(FaultKind kind) {
    return kind == FaultKind::transient || kind == FaultKind::throttled || kind == FaultKind::unknown_outcome;
}

class ModelError : public Error {
public:
    struct Details {
        FaultKind kind = FaultKind::permanent;
        std::string provider_code;  // "insufficient_quota"; empty if it gave none
        std::string request_id;     // the provider's, for its support; may be empty
        int attempts = 1;
        std::string partial;  // the text that had been delivered before it failed
    };
    ModelError(Code code, const std::string& sentence, Details details)
        : Error(code, sentence), details_(std::move(details)) {}
    FaultKind kind() const noexcept { return details_.kind; }
    const Details& details() const noexcept { return details_; }

private:
    Details details_;
};
/// The prompt is longer than the model can read. Thrown before any delta. A shorter one may do.
struct PromptTooLong : ModelError {
    explicit PromptTooLong(const std::string& sentence, Details details = {})
        : ModelError(Code::model_refused, sentence, std::move(details)) {}
};
/// The request has tools, and the model or its server cannot call them. Thrown before any delta.
struct ToolsUnsupported : ModelError {
    explicit ToolsUnsupported(const std::string& sentence, Details details = {})
        : ModelError(Code::model_refused, sentence, std::move(details)) {}
};
}
