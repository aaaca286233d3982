// The workflows of a catalogue as models of the OpenAI-compatible routes.
//
//     const auto models = openai_models(catalog::entries());
//     auto list = models_json(models, created);                       // GET /v1/models; created: seconds since 1970
//     const auto& react = find_model(models, "react");                // throws OpenaiRefusal, status 404
//
// If the start event has one required text, or only one field and that is a text, the caller's message becomes that
// text. Else the message has to be the JSON of the start event. The answer is the stop event's text, found by the usual
// names; else the JSON of the stop event. A workflow whose events have no JSON is not a model. The catalogue must
// outlive the models. Any thread may read them.
#pragma once
#include "workflows/catalog/catalog.hpp"
#include "workflows/server/runs/served_workflow.hpp"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::server {
struct OpenaiModel {
    std::string id;
    const Definition* outline = nullptr;
    std::string input_field;   // the start event's; empty: the message is its JSON
    std::string answer_field;  // the stop event's; empty: the answer is its JSON
    bool is_agent = false;     // the stop event is AnswerEvent, which can be streamed
};
std::vector<OpenaiModel> openai_models(const std::vector<catalog::CatalogEntry>&);
std::vector<OpenaiModel> openai_models(const std::vector<ServedWorkflow>&);
/// Throws OpenaiRefusal with the list of models.
const OpenaiModel& find_model(const std::vector<OpenaiModel>&, std::string_view id);

std::string models_json(const std::vector<OpenaiModel>&, std::int64_t created);
std::string model_json(const OpenaiModel&, std::int64_t created);
}
