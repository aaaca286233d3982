// Runs with JSON: an external event is made by its table, and moved into a cell of its run by its table.
#include "engine/json_run.hpp"
#include "engine/engine.hpp"
#include "engine/json.hpp"
#include <algorithm>

namespace weft {
namespace {
/// An event on its way into a run; posted from any thread.
struct ArrivingEvent {
    core::CoreRef run;
    const EventType* type;  // the type in the workflow of the run or of a child
    core::TypeIndex place;  // index in the run's workflow; no_type: absent
    std::shared_ptr<void> event;
    QuestionId question;

    void operator()() const {
        core::RunCore& core = *run;
        if (core.state.status != RunStatus::running) return;
        if (core.activity.load(std::memory_order_relaxed) == core::RunCore::Activity::queued)
            return core::after_start(core, *this);
        if (core::is_of_a_child(question))
            return core::answer_child(core, question, {type->id, type->name, event.get(), type->put});
        if (place == core::no_type) return core::report_unhandled(core, type->name);
        core.arrive(type->put(core, place, event.get()), question);
    }
};
std::shared_ptr<void> make_event(const EventType& type, const nlohmann::json& data, std::string_view root) {
    if (!type.put) throw Error(Code::usage, std::string(type.name) + " cannot be moved, so it cannot come as JSON");
    return read_event(type, data, root);
}
/// True if questions() would list it, without making the list, because each event of a run is checked.
bool is_question(const Definition& d, const void* id) {
    for (std::size_t i = 0; i < d.events.size(); ++i)
        if (d.events[i].id == id && d.plan.events[i].role == core::EventRole::request) return true;
    return std::ranges::any_of(d.children, [&](const auto& child) { return is_question(*child, id); });
}
core::TypeIndex index_of(const Definition& d, const EventType& type) {
    return core::TypeIndex(&type - d.events.data());
}
/// Finds the answer event of this name, and its place in the workflow itself. Null if there is none.
std::pair<const EventType*, core::TypeIndex> find_answer(const Definition& d, std::string_view name) {
    const auto answers = [](const Definition& of, const EventType* type) {
        return type && of.plan.events[index_of(of, *type)].answers != core::no_type;
    };
    if (const auto* type = find_event(d, name); answers(d, type)) return {type, index_of(d, *type)};
    for (const auto& child : d.children)
        if (const auto* type = find_event(*child, name); answers(*child, type)) return {type, core::no_type};
    return {nullptr, core::no_type};
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
bool JsonRun::asks(const AnyEvent& event) const { return is_question(definition(), event.type().id); }
void JsonRun::answer(QuestionId question, std::string_view event, const nlohmann::json& data) {
    const auto [type, place] = find_answer(definition(), event);
    if (!type) throw Error(Code::usage, "this workflow takes no " + std::string(event));
    const ArrivingEvent arrival{core_, type, place, make_event(*type, data, "answer"), question};
    if (core::is_here(*core_)) return arrival();
    core::post(*core_, [core = core_, arrival] { core::guarded(*core, arrival); });
}

static void begin(const core::CoreRef& core, const Definition& definition, const EventType& type,
                  std::shared_ptr<void> event) {
    const ArrivingEvent arrival{core, &type, index_of(definition, type), std::move(event), QuestionId::none};
    core->loop.load()->begin_from_any_thread(core, arrival);
}
JsonRun start_json(Engine& engine, std::shared_ptr<const Definition> definition, const nlohmann::json& input,
                   const RunOptions& options) {
    refuse_without_form(stop_event(*definition));
    const auto& type = start_event(*definition);
    auto event = make_event(type, input, "input");
    bool is_new = true;
    const core::CoreRef core = core::PrivateAccess::make_or_find(engine, definition, options, is_new);
    if (is_new) begin(core, *definition, type, std::move(event));
    return core::PrivateAccess::make<JsonRun>(core);
}
JsonRun start_json(Loop& loop, std::shared_ptr<const Definition> definition, const nlohmann::json& input,
                   const RunOptions& options) {
    refuse_without_form(stop_event(*definition));
    const auto& type = start_event(*definition);
    auto event = make_event(type, input, "input");
    const auto core = core::PrivateAccess::loop(loop).make(definition, options);
    begin(core, *definition, type, std::move(event));
    return core::PrivateAccess::make<JsonRun>(core);
}
JsonRun resume_json(Engine& engine, std::shared_ptr<const Definition> definition, const std::string& id,
                    const RunOptions& options) {
    refuse_without_form(stop_event(*definition));
    return core::PrivateAccess::make<JsonRun>(core::PrivateAccess::resume(engine, std::move(definition), id, options));
}
}
