// What a recording holds: what a model was asked and what came of it, and how that is written. Internal to
// steps/models/recording/recording.hpp.
//
// A recording is a text file of lines, each a JSON document. The first is {"weft_recording": 1}, each other one an
// exchange:
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

/// What decides the reply: not how it is delivered, and nothing of the run's budget.
struct RecordedRequest {
    std::vector<Message> messages;
    std::vector<RecordedTool> tools;
    std::string choice = "automatic";  // or none
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

struct Exchange {
    std::string model;
    RecordedRequest request;
    std::vector<std::string> deltas;
    std::optional<ChatReply> reply;
    std::optional<RecordedError> error;  // one of the two
    static constexpr std::string_view optional_fields[] = {"model", "deltas"};
};
BOOST_DESCRIBE_STRUCT(Exchange, (), (model, request, deltas, reply, error))

RecordedRequest recorded(const ChatRequest&);
RecordedError recorded(const ModelError&);
[[noreturn]] void throw_error(const RecordedError&);
}
