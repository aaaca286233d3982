// The fields of events come from their JSON Schemas, which callers see too.
#include "workflows/server/openai/models.hpp"
#include "engine/error.hpp"
#include "engine/event_json.hpp"
#include "engine/json/line.hpp"
#include "engine/text/text.hpp"
#include "workflows/server/openai/error.hpp"
#include <nlohmann/json.hpp>

namespace weft::server {
namespace {
bool is_text_field(const nlohmann::json& property) {
    return property.value("type", nlohmann::json()) == "string" && !property.contains("enum");
}
/// The one required field if it is a text, or the only field.
std::string input_field_of(const nlohmann::json& schema) {
    const auto& properties = schema.at("properties");
    const auto required = schema.value("required", nlohmann::json::array());
    std::string field;
    if (required.size() == 1) field = required.front().get<std::string>();
    else if (required.empty() && properties.size() == 1) field = properties.begin().key();
    return !field.empty() && is_text_field(properties.at(field)) ? field : std::string();
}
std::string answer_field_of(const nlohmann::json& schema) {
    const auto& properties = schema.at("properties");
    for (const auto* usual : {"response", "answer", "text", "result", "output", "message", "content"})
        if (const auto found = properties.find(usual); found != properties.end() && is_text_field(*found)) return usual;
    if (properties.size() == 1 && is_text_field(properties.front())) return properties.begin().key();
    return {};
}
nlohmann::ordered_json as_model(const OpenaiModel& model, std::int64_t created) {
    return {{"id", model.id}, {"object", "model"}, {"created", created}, {"owned_by", "weft"}};
}
void add_model(std::vector<OpenaiModel>& models, std::string_view name, const Definition& outline) {
    OpenaiModel model;
    model.id = name;
    model.outline = &outline;
    const auto& stop = stop_event(outline);
    try {
        model.input_field = input_field_of(schema(start_event(outline)));
        model.answer_field = answer_field_of(schema(stop));
    } catch (const Error& error) {
        if (error.code() != Code::bad_json) throw;
        return;  // its input or result has no JSON
    }
    model.is_agent = stop.name == "AnswerEvent" && model.answer_field == "response";
    models.push_back(std::move(model));
}
}

std::vector<OpenaiModel> openai_models(const std::vector<catalog::CatalogEntry>& entries) {
    std::vector<OpenaiModel> models;
    for (const auto& entry : entries) add_model(models, entry.name, entry.outline());
    return models;
}
std::vector<OpenaiModel> openai_models(const std::vector<ServedWorkflow>& workflows) {
    std::vector<OpenaiModel> models;
    for (const auto& workflow : workflows) add_model(models, workflow.name, *workflow.definition);
    return models;
}
const OpenaiModel& find_model(const std::vector<OpenaiModel>& models, std::string_view id) {
    for (const auto& model : models)
        if (model.id == id) return model;
    throw OpenaiRefusal(openai_no_model(id, models.empty() ? "none" : with_commas(models, &OpenaiModel::id)));
}
std::string models_json(const std::vector<OpenaiModel>& models, std::int64_t created) {
    nlohmann::ordered_json list;
    list["object"] = "list";
    list["data"] = nlohmann::ordered_json::array();
    for (const auto& model : models) list["data"].push_back(as_model(model, created));
    return json_line(list);
}
std::string model_json(const OpenaiModel& model, std::int64_t created) { return json_line(as_model(model, created)); }
}
