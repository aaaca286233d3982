// The workflows of a catalogue as models of the OpenAI-compatible routes.
//
//     const auto models = openai_models(catalog::entries());
//     auto list = models_json(models, created);                       // GET /v1/models; created: seconds since 1970
//     const auto& react = find_model(models, "react");                // else throws OpenaiRefusal, status 404
//
// What a message of the caller becomes follows from the start event. If it has one text that is required, or no field
// but one text, the message is that text. Else the message has to be the JSON of the start event. The answer is the
// stop event's text, found by the usual names; else the JSON of the stop event. A workflow whose events have no form in
// JSON is no model. The catalogue outlives what is made of it; nothing here changes, so any thread may read it.
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
    std::string input_field;   // of the start event; empty: the message is the JSON of all of it
    std::string answer_field;  // of the stop event; empty: the answer is the JSON of all of it
    bool is_agent = false;     // it ends with the agents' AnswerEvent, so pieces of that may be streamed
};
std::vector<OpenaiModel> openai_models(const std::vector<catalog::Entry>&);
std::vector<OpenaiModel> openai_models(const std::vector<ServedWorkflow>&);
/// Throws OpenaiRefusal, which lists what there is.
const OpenaiModel& find_model(const std::vector<OpenaiModel>&, std::string_view id);

std::string models_json(const std::vector<OpenaiModel>&, std::int64_t created);
std::string model_json(const OpenaiModel&, std::int64_t created);
}
