// The content of a recording: requests to a model, and their outcomes. Internal to
// steps/models/recording/recording.hpp.
//
// A recording is a text file with one JSON document per line. The first line is {"weft_recording": 1}, each other line
// an exchange:
//
//     {"model": "openai:gpt-4o-mini", "request": {"messages": [...], "tools": [...], ...},
//      "deltas": ["4", "2"], "reply": {"text": "42", ...}}            or "error": {...} in place of the reply
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/model_error.hpp"

namespace weft::models {
struct RecordedTool {
    std::string name, description;
    JsonText parameters;
};
BOOST_DESCRIBE_STRUCT(RecordedTool, (), (name, description, parameters))

/// The parts of a request that determine the reply: without delivery and the run's budget.
struct RecordedRequest {
    std::vector<Message> messages;
    std::vector<RecordedTool> tools;
    std::string choice = "automatic";  // automatic or none
    std::vector<std::string> stop;
    Sampling sampling;
    std::string schema_name;
    JsonText schema;
    static constexpr std::string_view optional_fields[] = {"tools",    "choice",      "stop",
                                                           "sampling", "schema_name", "schema"};
};
BOOST_DESCRIBE_STRUCT(RecordedRequest, (), (messages, tools, choice, stop, sampling, schema_name, schema))

enum class RecordedCode { model_unreachable, model_refused, model_failed };
BOOST_DESCRIBE_ENUM(RecordedCode, model_unreachable, model_refused, model_failed)
enum class ErrorForm { plain, prompt_too_long, tools_unsupported };
BOOST_DESCRIBE_ENUM(ErrorForm, plain, prompt_too_long, tools_unsupported)
struct RecordedError {
    RecordedCode code = RecordedCode::model_failed;
    FaultKind kind = FaultKind::permanent;
    std::string sentence;
    ErrorForm form = ErrorForm::plain;
    std::string provider_code, request_id;
    int attempts = 1;
    std::string partial;
    static constexpr std::string_view optional_fields[] = {"form", "provider_code", "request_id", "attempts",
                                                           "partial"};
};
BOOST_DESCRIBE_STRUCT(RecordedError, (), (code, kind, sentence, form, provider_code, request_id, attempts, partial))

struct RecordedExchange {
    std::string model;
    RecordedRequest request;
    std::vector<std::string> deltas;
    std::optional<ChatReply> reply;
    std::optional<RecordedError> error;  // exactly one of reply and error is set
    static constexpr std::string_view optional_fields[] = {"model", "deltas"};
};
BOOST_DESCRIBE_STRUCT(RecordedExchange, (), (model, request, deltas, reply, error))

RecordedRequest recorded(const ChatRequest&);
RecordedError recorded(const ModelError&);
[[noreturn]] void throw_error(const RecordedError&);
}
