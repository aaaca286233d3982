// Makes an entry of the catalogue from a workflow and a function that binds it. For workflows/catalog/catalog.cpp.
// All its events and slots need a JSON form, as its runs may be stored.
//
//     make_entry<hello, [](auto&, auto&) { return Bound(hello); }>("greets a person by name")
#pragma once
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/json.hpp"
#include "engine/replay.hpp"
#include "steps/agents/common/tool_question.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/run_resources.hpp"
#include <cstddef>
#include <memory>
#include <utility>

namespace weft::catalog::detail {
template <class R, auto... Fn> constexpr bool needs(const Workflow<Fn...>&) {
    using Needed = weft::core::unite<typename weft::core::Signature<decltype(Fn)>::resources...>;
    return weft::core::contains<R, Needed> || weft::core::contains<const R, Needed>;
}
template <class... E> void demand_codecs(core::List<E...>) {
    const auto demand_codec = []<class One>(std::type_identity<One>) {
        if constexpr (core::is_stop<One> || core::is_request<One>) (void)&json_detail::demand<One, false>;
        if constexpr (core::is_start<One> || core::is_response<One>) (void)&json_detail::demand<One, true>;
    };
    (demand_codec(std::type_identity<E>{}), ...);
}
/// Gives the workflow the questions of running tools; JSON can answer them.
inline std::shared_ptr<const Definition> questions_of_tools() {
    static const auto asking = weft::durable(agents::tool_question).definition;
    return asking;
}
/// Copies the definition exactly once: each run owns its resources and its definition.
template <class W> Bound<W> stored_if(bool keeps_runs, bool has_tools, Bound<W> bound) {
    if (!keeps_runs && !has_tools) return bound;
    auto own = std::make_shared<Definition>(*bound.definition);
    if (has_tools) own->children.push_back(questions_of_tools());
    if (keeps_runs) own->durable = core::durable_form(*own);
    return {std::move(own)};
}
/// The definition of a run owns these resources, because the run may outlive its caller's.
template <class W> Bound<W> bound_to(const RunResources& here, bool has_tools, Bound<W> bound) {
    const auto own = stored_if<W>(here.process().keeps_runs(), has_tools, std::move(bound));
    using Owned = std::pair<std::shared_ptr<const void>, std::shared_ptr<const Definition>>;
    const auto owned = std::make_shared<const Owned>(here.owner(), own.definition);
    return {std::shared_ptr<const Definition>(owned, owned->second.get())};
}
/// An unused reference in place of a resource: for runs that are only put into a store.
template <class R> R& nowhere() {
    alignas(R) static std::byte place[sizeof(R)];  // storage without an object
    return *reinterpret_cast<R*>(place);
}
template <auto... Fn, class... R>
Bound<Workflow<Fn...>> bound_nowhere(const Workflow<Fn...>& workflow, weft::core::List<R...>) {
    if constexpr (sizeof...(R) == 0) return workflow;
    else return workflow.with(nowhere<R>()...);
}
template <auto... Fn> Bound<Workflow<Fn...>> bound_nowhere(const Workflow<Fn...>& workflow) {
    return bound_nowhere(workflow, weft::core::unite<typename weft::core::Signature<decltype(Fn)>::resources...>{});
}
template <const auto& workflow, auto bind> CatalogEntry make_entry(std::string_view description) {
    using W = std::remove_cvref_t<decltype(workflow)>;
    demand_codecs(typename W::Events{});
    CatalogEntry entry;
    entry.name = workflow.name;
    entry.description = description;
    entry.has_model = needs<models::ChatModel>(workflow);
    entry.has_dialect = needs<agents::Dialect>(workflow);
    entry.has_tools = needs<weft::tools::Registry>(workflow);
    entry.has_database = needs<weft::tools::Database>(workflow) || needs<weft::tools::Registry>(workflow);
    entry.outline = []() -> const Definition& {
        static const auto outline = [] {
            auto drawn = weft::core::outline(workflow);
            drawn.durable = core::durable_form(drawn);
            if (needs<weft::tools::Registry>(workflow)) drawn.children.push_back(questions_of_tools());
            return drawn;
        }();
        return outline;
    };
    entry.stored = []() -> const std::shared_ptr<const Definition>& {
        static const auto stored =
            stored_if<W>(true, needs<weft::tools::Registry>(workflow), bound_nowhere(workflow)).definition;
        return stored;
    };
    entry.run = [](RunResources& here, const nlohmann::json& input, const RunOptions& options) {
        auto start = from_json<typename W::Start>(input, "input");
        const auto bound = bound_to<W>(here, needs<weft::tools::Registry>(workflow), bind(here, start));
        auto kept = options;
        if (here.process().keeps_runs()) kept.stored = here.kept_form(workflow.name, input);
        return JsonRun(here.process().engine().start(bound, std::move(start), kept));
    };
    entry.resume = [](RunResources& here, const std::string& id, const nlohmann::json& input,
                      const RunOptions& options) {
        const auto start = from_json<typename W::Start>(input, "input");
        const auto bound = bound_to<W>(here, needs<weft::tools::Registry>(workflow), bind(here, start));
        return JsonRun(here.process().engine().resume(bound, id, options));
    };
    entry.replay = [](RunResources& here, const storage::History& history, const nlohmann::json& input) {
        const auto start = from_json<typename W::Start>(input, "input");
        return weft::replay(durable(Bound<W>(bind(here, start))), history);
    };
    return entry;
}
}
