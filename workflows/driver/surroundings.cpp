#include "workflows/driver/surroundings.hpp"
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "steps/memory/memory.hpp"
#include "steps/reflect/options.hpp"
#include "tools/sql/database.hpp"
#include "tools/standard.hpp"
#include "workflows/driver/models.hpp"
#include <optional>

namespace weft::driver {
struct Surroundings::Parts {
    // In this order: the engine goes first, and with it all that may still use the others.
    std::optional<tools::Database> database;
    std::optional<tools::Registry> registry;
    std::optional<steps::ReactOptions> react;
    std::optional<steps::ReflectOptions> reflect;
    steps::ConversationMemory memory;
    std::optional<Models> models;
    std::optional<Engine> engine;
};

Surroundings::Surroundings(AgentOptions options) : options_(std::move(options)), parts_(new Parts) {}
Surroundings::~Surroundings() = default;

Engine& Surroundings::engine() {
    if (!parts_->engine) parts_->engine.emplace(EngineOptions{.pool_threads = 4});
    return *parts_->engine;
}
tools::Database& Surroundings::database() {
    auto& parts = *parts_;
    if (parts.database) return *parts.database;
    auto& pool = engine().pool();  // which ends with the engine: work that is just ending still holds on to its loops
    if (options_.database.empty()) parts.database.emplace(pool);
    else parts.database.emplace(pool, options_.database);
    return *parts.database;
}
tools::Registry& Surroundings::tools() {
    if (!parts_->registry) {
        auto all = tools::standard(database());
        const auto names = split_names(options_.tools);
        if (!options_.tools.empty() && names.empty())
            throw Error(Code::usage, "--tools names no tool: write them as add,divide, or leave it out for all");
        parts_->registry.emplace(options_.tools.empty() ? std::move(all) : all.only(names));
    }
    return *parts_->registry;
}
Models& Surroundings::models() {
    if (!parts_->models) parts_->models.emplace(options_, engine());
    return *parts_->models;
}
llm::ChatModel& Surroundings::model(std::string_view question) {
    if (question.find_first_not_of(" \t\r\n") == question.npos)  // before a model is looked for
        throw Error(Code::usage, "the question is empty: ask something");
    return models().answering(question);
}
void Surroundings::prepare_agent() {
    models();
    tools();
    react_options();
}
steps::Memory& Surroundings::memory() { return parts_->memory; }
steps::ReactOptions& Surroundings::react_options() {
    if (!parts_->react) {
        auto& react = parts_->react.emplace();
        react.max_steps = options_.max_steps;
        react.sampling.temperature = options_.temperature;
        react.system = system_text(options_.system);
    }
    return *parts_->react;
}
steps::ReflectOptions& Surroundings::reflect_options() {
    if (!parts_->reflect) static_cast<steps::ReactOptions&>(parts_->reflect.emplace()) = react_options();
    return *parts_->reflect;
}
}
