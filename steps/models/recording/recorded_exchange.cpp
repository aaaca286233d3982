// Copies each field, so that recordings stay readable when the program's types grow.
#include "steps/models/recording/recorded_exchange.hpp"

namespace weft::models {
RecordedRequest recorded(const ChatRequest& request) {
    RecordedRequest copy;
    copy.messages = request.messages;
    for (const auto& tool : request.tools) copy.tools.push_back({tool.name, tool.description, {tool.parameters}});
    copy.choice = request.choice == ToolChoice::none ? "none" : "automatic";
    copy.stop = request.stop;
    copy.sampling = request.sampling;
    copy.schema_name = request.schema.schema.empty() ? std::string() : request.schema.name;
    copy.schema.text = request.schema.schema;
    return copy;
}
RecordedError recorded(const ModelError& error) {
    RecordedError copy;
    if (error.code() == Code::model_unreachable) copy.code = RecordedCode::model_unreachable;
    if (error.code() == Code::model_refused) copy.code = RecordedCode::model_refused;
    copy.kind = error.kind();
    copy.sentence = error.what();
    if (dynamic_cast<const PromptTooLong*>(&error)) copy.form = ErrorForm::prompt_too_long;
    if (dynamic_cast<const ToolsUnsupported*>(&error)) copy.form = ErrorForm::tools_unsupported;
    const auto& details = error.details();
    copy.provider_code = details.provider_code;
    copy.request_id = details.request_id;
    copy.attempts = details.attempts;
    copy.partial = details.partial;
    return copy;
}
void throw_error(const RecordedError& error) {
    ModelError::Details details{error.kind, error.provider_code, error.request_id, error.attempts, error.partial};
    if (error.form == ErrorForm::prompt_too_long) throw PromptTooLong(error.sentence, std::move(details));
    if (error.form == ErrorForm::tools_unsupported) throw ToolsUnsupported(error.sentence, std::move(details));
    const auto code = error.code == RecordedCode::model_unreachable ? Code::model_unreachable
                      : error.code == RecordedCode::model_refused   ? Code::model_refused
                                                                    : Code::model_failed;
    throw ModelError(code, error.sentence, std::move(details));
}
}
