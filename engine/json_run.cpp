// Runs in JSON: an event that comes from outside is made by its table, and moved into a cell of its run by its table.
#include "engine/json_run.hpp"
#include "engine/engine.hpp"
#include "engine/json.hpp"

namespace weft {
namespace {
/// An event on its way into a run, from whatever thread.
struct Arriving {
    core::CoreRef run;
    core::TypeIndex type;
    std::shared_ptr<void> event;
    QuestionId question;

    void operator()() const {
        core::RunCore& core = *run;
        if (core.state.cause != Cause::none) return;
        if (core.status.load(std::memory_order_relaxed) == core::RunCore::Status::queued)
            return core::after_start(core, *this);
        const EventType& t = core.definition->events[type];
        if (core::is_of_a_child(question))
            return core::answer_child(core, question, {t.id, t.name, event.get(), t.put});
        core.arrive(t.put(core, type, event.get()), question);
    }
};
std::shared_ptr<void> make_event(const EventType& type, const nlohmann::json& data, std::string_view root) {
    if (!type.put) throw Error(Code::usage, std::string(type.name) + " cannot be moved, so it cannot come as JSON");
    return read_event(type, data, root);
}
core::TypeIndex index_of(const Definition& d, const EventType& type) {
    return core::TypeIndex(&type - d.events.data());
}
awaitable<nlohmann::json> result_of(core::CoreRef core) {
    co_await core::until_complete(core);
    auto& cell = core::stop_cell(*core);
    auto data = to_json(core->definition->events[cell.type], cell.event());
    co_return data;
}
}

awaitable<nlohmann::json> JsonRun::result() const { return result_of(core_); }
void JsonRun::cancel() { core::cancel(core_); }
void JsonRun::leave() { core::leave(core_); }
bool JsonRun::asks(const AnyEvent& event) const {
    const auto& d = definition();
    for (auto& type : d.events)
        if (type.id == event.type().id) return d.plan.events[index_of(d, type)].role == core::Role::request;
    return false;
}
void JsonRun::answer(QuestionId question, std::string_view event, const nlohmann::json& data) {
    const auto* type = find_event(definition(), event);
    if (!type || definition().plan.events[index_of(definition(), *type)].answers == core::no_type)
        throw Error(Code::usage, "this workflow takes no " + std::string(event));
    const Arriving arrival{core_, index_of(definition(), *type), make_event(*type, data, "answer"), question};
    if (core::is_here(*core_)) return arrival();
    core::post(*core_, [core = core_, arrival] { core::guarded(*core, arrival); });
}

JsonRun start_json(Engine& engine, std::shared_ptr<const Definition> definition, const nlohmann::json& input,
                   const RunOptions& options) {
    refuse_without_form(stop_event(*definition));
    const auto& type = start_event(*definition);
    auto event = make_event(type, input, "input");
    bool is_new = true;
    const core::CoreRef core = core::Inside::make_or_find(engine, definition, options, is_new);
    if (!is_new) return core::Inside::make<JsonRun>(core);
    const Arriving arrival{core, index_of(*definition, type), std::move(event), QuestionId::none};
    core->loop.load()->begin_from_any_thread(core, arrival);
    return core::Inside::make<JsonRun>(core);
}
JsonRun resume_json(Engine& engine, std::shared_ptr<const Definition> definition, const std::string& id,
                    const RunOptions& options) {
    refuse_without_form(stop_event(*definition));
    return core::Inside::make<JsonRun>(core::Inside::resume(engine, std::move(definition), id, options));
}
}
