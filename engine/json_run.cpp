// Runs in JSON: an event that comes from outside is made by its table, and moved into a cell of its run by its table.
#include "engine/json_run.hpp"
#include "engine/engine.hpp"
#include "engine/json.hpp"

namespace weft {
namespace {
/// An event on its way into a run, from whatever thread.
struct Arriving {
    CoreRef run;
    TypeIndex type;
    std::shared_ptr<void> event;
    QuestionId question;

    void operator()() const {
        RunCore& core = *run;
        if (core.state.cause != Cause::none) return;
        if (core.status.load(std::memory_order_relaxed) == RunCore::Status::queued)
            return detail::after_start(core, *this);
        const EventType& t = core.definition->events[type];
        if (detail::is_of_a_child(question))
            return detail::answer_child(core, question, {t.id, t.name, event.get(), t.put});
        core.arrive(t.put(core, type, event.get()), question);
    }
};
std::shared_ptr<void> make_event(const EventType& type, const nlohmann::json& data, std::string_view root) {
    if (!type.put) throw Error(Code::usage, std::string(type.name) + " cannot be moved, so it cannot come as JSON");
    return read_event(type, data, root);
}
TypeIndex index_of(const Definition& d, const EventType& type) { return TypeIndex(&type - d.events.data()); }
awaitable<nlohmann::json> result_of(CoreRef core) {
    co_await detail::until_complete(core);
    auto& cell = detail::stop_cell(*core);
    auto data = to_json(core->definition->events[cell.type], cell.event());
    co_return data;
}
}

awaitable<nlohmann::json> JsonRun::result() const { return result_of(core_); }
void JsonRun::cancel() { detail::cancel(core_); }
bool JsonRun::asks(const AnyEvent& event) const {
    const auto& d = definition();
    for (auto& type : d.events)
        if (type.id == event.type().id) return d.plan.events[index_of(d, type)].role == Role::request;
    return false;
}
void JsonRun::answer(QuestionId question, std::string_view event, const nlohmann::json& data) {
    const auto* type = find_event(definition(), event);
    if (!type || definition().plan.events[index_of(definition(), *type)].answers == no_type)
        throw Error(Code::usage, "this workflow takes no " + std::string(event));
    const Arriving arrival{core_, index_of(definition(), *type), make_event(*type, data, "answer"), question};
    if (detail::is_here(*core_)) return arrival();
    detail::post(*core_, [core = core_, arrival] { detail::guarded(*core, arrival); });
}

JsonRun start_json(Engine& engine, std::shared_ptr<const Definition> definition, const nlohmann::json& input,
                   const RunOptions& options) {
    refuse_without_form(stop_event(*definition));
    const auto& type = start_event(*definition);
    auto event = make_event(type, input, "input");
    const auto core = engine.make(definition, options);
    const Arriving arrival{core, index_of(*definition, type), std::move(event), QuestionId::none};
    core->loop.load()->begin_from_any_thread(core, arrival);
    return JsonRun(core);
}
}
