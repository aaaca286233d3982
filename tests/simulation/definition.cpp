// Makes a definition at run time: the tables that engine/core/loop/define.hpp makes from the types of steps.
#include "engine/asio.hpp"
#include "engine/core/graph/plan_ranges.hpp"
#include "engine/core/graph/topology.hpp"
#include "engine/core/loop/define.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/core/stored_plan.hpp"
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/run.hpp"
#include "engine/timeout.hpp"
#include "tests/simulation/served_logs.hpp"

namespace simulation {
using namespace core;
namespace {
/// In place of a declared workflow's type, for child runs.
struct AnyGraph {
    using Start = StartCargo;
    using Stop = StopCargo;
    using Events = List<StartCargo>;
};
struct Made {
    bool is_fan_out = false;
    std::vector<std::pair<TypeIndex, Cargo>> events;
};
std::uint64_t combined(const std::vector<Cargo>& inputs) {
    std::uint64_t value = inputs.size();
    for (const auto& input : inputs) value = mix(value ^ mix(input.value));
    return value;
}
awaitable<std::uint64_t> work_of(Context& ctx, Site& site, Ledger::Effect effect, std::uint64_t value) {
    if (site.ledger) site.ledger->effect_runs(site.owner(ctx.run_id()), ctx.run_id(), effect);
    co_await sleep_for(site.ledger ? site.world.up_to(std::chrono::milliseconds(50)) : Duration(1));
    co_return mix(value + 1);
}
awaitable<std::uint64_t> do_deed(Context& ctx, const DeedSpec& spec, std::string name, std::string key,
                                 const Graph& graph, Site& site, std::uint64_t value, std::uint64_t execution) {
    switch (spec.deed) {
    case Deed::delay: co_await sleep_for(spec.time); break;
    case Deed::sleep: {
        if (site.ledger) site.ledger->sleeps(key, name, spec.time);
        auto sleeping = ctx.sleep(spec.time);
        co_await std::move(sleeping);
        if (site.ledger) site.ledger->wakes(key, name);
        break;
    }
    case Deed::once:
        for (int turn = 0; turn <= int(spec.repeats); ++turn) {
            const Ledger::Effect effect{key, name + std::string(std::size_t(turn), '+'), ctx.attempt()};
            auto work = work_of(ctx, site, effect, value);
            auto recording = ctx.once(name, std::move(work));
            value = co_await std::move(recording);
            if (site.ledger) site.ledger->effect_recorded(effect);
        }
        break;
    case Deed::at_most_once: {
        auto work = work_of(ctx, site, {key, name, ctx.attempt(), true}, value);
        auto recording = ctx.at_most_once(name, std::move(work));
        (void)co_await std::move(recording);  // a crash decides whether there is a result
        break;
    }
    case Deed::edit:
        ctx.edit<Trail>([&](auto& trail) { trail.push_back(value); });
        ctx.edit<Sum>([&](auto& sum) { sum.value += value; });
        break;
    case Deed::stream:
        for (int burst = 0; burst < 3; ++burst) {
            for (int events = 0; events < 2; ++events)
                ctx.stream(NoteCargo{site.logs ? site.logs->told().streams(execution) : value});
            co_await sleep_for(site.ledger ? site.world.up_to(std::chrono::milliseconds(300)) : Duration(1));
        }
        break;
    case Deed::request:
        for (int turn = 0; turn < 4; ++turn) {
            co_await sleep_for(site.ledger ? site.world.up_to(std::chrono::milliseconds(700)) : Duration(1));
            auto waiting = until_may_begin();
            co_await std::move(waiting);
            if (site.ledger) site.ledger->requests(site.owner(ctx.run_id()), ctx.run_id(), key);
        }
        break;
    case Deed::child: {
        Bound<AnyGraph> child;
        child.definition = site.definition(*graph.children[spec.child]);
        StartCargo start;
        start.cargo.value = value;
        auto running = ctx.run(std::move(child), std::move(start));
        auto stop = co_await std::move(running);
        value = mix(value ^ stop.cargo.value);
        break;
    }
    }
    co_return value;
}
awaitable<Made> act(Context& ctx, std::vector<Cargo> inputs, const StepSpec& spec, const Graph& graph, Site& site) {
    const auto key = ctx.run_id() + ' ' + ctx.key();
    if (site.ledger) site.ledger->begins(site.owner(ctx.run_id()), ctx.run_id(), key, inputs);
    std::uint64_t execution = 0;
    if (site.logs) {
        const auto root = ctx.run_id().substr(0, ctx.run_id().find('/'));
        execution = site.logs->told().begins(site.owner(root), root, key);
        auto opening = site.logs->open(root);
        co_await std::move(opening);
    }
    auto value = mix(combined(inputs) ^ std::hash<std::string>()(spec.first_name));
    if (graph.events[spec.accepts.front()].place == Place::start && inputs.front().round > 0)
        ctx.edit<Round>([round = inputs.front().round](auto& r) { r.value = round; });
    if (graph.events[spec.accepts.front()].place == Place::signal) {
        if (site.ledger) site.ledger->takes_signal(ctx.run_id(), inputs.front().value, key);
        ctx.edit<Trail>([number = inputs.front().value](auto& trail) { trail.push_back(number); });
    }
    for (std::size_t i = 0; i < spec.deeds.size(); ++i) {
        auto doing = do_deed(ctx, spec.deeds[i], "d" + std::to_string(i), key, graph, site, value, execution);
        value = co_await std::move(doing);
    }
    if (spec.failures == 255 ? value % 5 == 0 : ctx.attempt() <= spec.failures)
        throw Error(Code::step_failed, "planned");
    if (site.logs) site.logs->told().completes(execution);
    Made made;
    const auto add = [&](TypeIndex type, std::uint64_t v) { made.events.push_back({type, {v, 0, key}}); };
    switch (spec.result) {
    case Result::either: add(spec.emits[value % 2], value); break;
    case Result::all:
        made.is_fan_out = true;
        for (std::uint64_t i = 0, n = value % (spec.most + 1); i < n; ++i) add(spec.emits.front(), mix(value + i));
        break;
    case Result::nothing: break;
    case Result::again:
        if (const auto round = ctx.get<Round>().value; round < 2) {
            StartCargo next;
            next.cargo.value = value;
            next.cargo.round = round + 1;
            ctx.begin_again(std::move(next));
            break;
        }
        [[fallthrough]];
    case Result::one:
        if (graph.events[spec.emits.front()].place == Place::stop) value ^= ctx.get<Sum>().value;
        add(spec.emits.front(), value);
        break;
    }
    co_return made;
}

// --- the functions of a step's table ---
/// A step that this build does not know has the name of another one, which adds a letter.
std::string first_name(const Graph& graph, const std::string& step) {
    const auto found = std::ranges::find(graph.steps, step, &StepSpec::name);
    if (found != graph.steps.end()) return found->first_name;
    return step.ends_with('b') ? step.substr(0, step.size() - 1) : step;
}
Cargo cargo_in(const Graph& graph, Cells::Cell& cell) {
    switch (graph.events[cell.type].place) {
    case Place::start: return static_cast<StartCargo*>(cell.event())->cargo;
    case Place::plain: return static_cast<PlainCargo*>(cell.event())->cargo;
    case Place::reply: return static_cast<ReplyCargo*>(cell.event())->cargo;
    case Place::signal: return static_cast<SignalCargo*>(cell.event())->cargo;
    case Place::failure:
        return {std::hash<std::string>()(first_name(graph, static_cast<StepFailedEvent*>(cell.event())->step)), 0, {}};
    default: return {};
    }
}
Emitted put_failed(StepCall& call, StepFailedEvent&& failure) {
    const auto& d = *call.run.definition;
    const auto handler = d.plan.steps[call.step].handler;
    for (std::size_t type = 0; type < d.plan.events.size(); ++type)
        for (const auto& consumer : consumers_of(d.plan, type))
            if (consumer.step == handler) return call.run.cells.put(TypeIndex(type), std::move(failure));
    std::abort();
}
void collect_made(WaitingCall& call) {
    auto& promise = std::coroutine_handle<Promise<Made>>::from_address(call.coroutine.address()).promise();
    if (promise.error) std::rethrow_exception(promise.error);
    const auto& graph = call.resource<const Graph>(2);
    const Made made = std::move(*promise.value);
    if (made.is_fan_out) call.fan_out = 1;
    for (const auto& [type, cargo] : made.events) switch (graph.events[type].place) {
        case Place::ask: {
            AskCargo ask;
            ask.cargo = cargo;
            call.emit(type, std::move(ask));
            break;
        }
        case Place::stop: {
            StopCargo stop;
            stop.cargo = cargo;
            call.emit(type, std::move(stop));
            break;
        }
        default: call.emit(type, PlainCargo{cargo});
        }
}
bool begin_step(WaitingCall& call) {
    const auto& graph = call.resource<const Graph>(2);
    std::vector<std::pair<TypeIndex, Cargo>> cargos;  // in an order that all builds have
    const auto add = [&](Cells::Cell& cell) { cargos.emplace_back(cell.type, cargo_in(graph, cell)); };
    if (call.input) add(*call.input);
    else each_cell(call, add);
    std::ranges::stable_sort(cargos, {}, [](const auto& each) { return each.first; });
    std::vector<Cargo> inputs;
    for (auto& each : cargos) inputs.push_back(std::move(each.second));
    auto acting = act(call.context, std::move(inputs), call.resource<const StepSpec>(1), graph, call.resource<Site>(0));
    auto handle = PrivateAccess::release(std::move(acting));
    call.coroutine = handle;
    handle.promise().scope = call.scope;
    handle.resume();
    if (handle.done()) {
        collect_made(call);
        return true;
    }
    handle.promise().on_end = &ended;
    return false;
}

// --- the tables ---
EventType describe(Place place) {
    switch (place) {
    case Place::start: return describe_event<StartCargo>();
    case Place::ask: return describe_event<AskCargo>();
    case Place::reply: return describe_event<ReplyCargo>();
    case Place::signal: return describe_event<SignalCargo>();
    case Place::failure: return describe_event<StepFailedEvent>();
    case Place::ending: return describe_event<RunEndingEvent>();
    case Place::stop: return describe_event<StopCargo>();
    default: return describe_event<PlainCargo>();
    }
}
EventRole role_of(Place place) {
    switch (place) {
    case Place::ask: return EventRole::request;
    case Place::ending: return EventRole::ending;
    case Place::stop: return EventRole::stop;
    default: return EventRole::plain;
    }
}
bool accepts(const StepSpec& step, TypeIndex type) {
    return std::ranges::find(step.accepts, type) != step.accepts.end();
}
StepSet accepting(const Graph& graph, TypeIndex type) {
    StepSet steps = 0;
    for (std::size_t s = 0; s < graph.steps.size(); ++s)
        if (accepts(graph.steps[s], type)) steps |= StepSet{1} << s;
    return steps;
}
/// The steps that an emitted event leads to, also by the answer to a question.
StepSet reached(const Graph& graph, TypeIndex type) {
    auto steps = accepting(graph, type);
    for (std::size_t t = 0; t < graph.events.size(); ++t)
        if (graph.events[t].place == Place::reply && graph.events[t].answers == type) steps |= accepting(graph, t);
    return steps;
}
using AnyTopology = Topology<64, 64, 1>;
AnyTopology topology_of(const Graph& graph) {
    AnyTopology t;
    std::size_t fan = 0;
    for (std::size_t s = 0; s < 64; ++s) {
        t.first_fan[s] = fan;
        if (s >= graph.steps.size()) continue;
        const auto& step = graph.steps[s];
        for (const auto type : step.emits)
            (step.result == Result::all ? t.after_branch[fan] : t.after_single[s]) |= reached(graph, type);
        if (step.result == Result::all) ++fan;
        if (step.collects) t.collects |= StepSet{1} << s;
        if (!step.collects && step.accepts.size() > 1) t.joins |= StepSet{1} << s;
    }
    t.first_fan[64] = fan;
    return t;
}
}
std::shared_ptr<const Definition> define(const Graph& graph, Site& site) {
    auto d = std::make_shared<Definition>();
    d->name = graph.name;
    d->type = &graph;
    const auto topology = topology_of(graph);
    auto handler = no_step;
    for (std::size_t type = 0; type < graph.events.size(); ++type) {
        const auto& spec = graph.events[type];
        EventPlan plan{role_of(spec.place), std::uint16_t(d->plan.consumers.size())};
        for (std::size_t s = 0; s < graph.steps.size(); ++s) {
            const auto& step = graph.steps[s];
            const auto part = std::ranges::find(step.accepts, type) - step.accepts.begin();
            if (!accepts(step, type)) continue;
            d->plan.consumers.push_back({StepIndex(s), std::uint16_t(topology.joins >> s & 1 ? part : 0)});
            ++plan.count;
        }
        if (spec.place == Place::failure) handler = d->plan.consumers.back().step;
        else if (plan.role == EventRole::plain && plan.count == 1) {
            const auto only = d->plan.consumers.back().step;
            if (!((topology.collects | topology.joins) >> only & 1)) plan.only = only;
        }
        if (spec.place == Place::ask) {
            plan.lane = std::uint16_t(graph.steps.size() + d->plan.questions++);
            plan.paired = true;
        }
        if (spec.place == Place::ending) d->ending = TypeIndex(type);
        if (spec.place == Place::reply) plan.answers = spec.answers;
        if (spec.place == Place::signal) plan.answers = signals;
        d->plan.events.push_back(plan);
        auto described = describe(spec.place);
        if (spec.place != Place::failure && spec.place != Place::ending) described.name = spec.name;
        described.id = &spec;
        d->events.push_back(described);
    }
    constexpr std::size_t largest = std::max({sizeof(StartCargo), sizeof(StepFailedEvent), sizeof(RunEndingEvent)});
    d->cell_size = std::uint32_t((8 + largest + 7) / 8 * 8);
    const auto reaches = topology.reaches();
    for (std::size_t fan = 0; fan < topology.first_fan[64]; ++fan)
        d->plan.fan_outs.push_back(
            {reaches[fan].collectors, (reaches[fan].inside & topology.joins) != 0 ||
                                          (handler != no_step && (topology.joins | topology.collects) != 0)});
    for (std::size_t s = 0; s < graph.steps.size(); ++s) {
        const auto& spec = graph.steps[s];
        const bool joins = topology.joins >> s & 1, has_handler = handler != no_step && handler != s;
        StepPlan plan{.workers = spec.workers};
        plan.takes = joins ? Takes::parts : spec.quorum ? Takes::first : spec.collects ? Takes::all : Takes::one;
        plan.first_fan = std::uint16_t(topology.first_fan[s]);
        plan.parts = std::uint16_t(joins ? spec.accepts.size() : 1);
        plan.first = spec.quorum;
        const bool undoes = graph.events[spec.accepts.front()].place == Place::ending;
        if (has_handler && !undoes) plan.handler = handler;
        d->plan.steps.push_back(plan);
        d->plan.has_first |= spec.quorum > 0;
        StepType type{};
        type.name = spec.name;
        type.policy.workers = spec.workers;
        type.policy.first = spec.quorum;
        type.policy.retry = {.attempts = spec.attempts, .wait = fixed(spec.pause)};
        type.start = &begin_step;
        type.collect = &collect_made;
        if (plan.handler != no_step) type.put_failure = &put_failed;
        type.timed = spec.attempts > 1 || type.put_failure;
        type.first_resource = std::uint16_t(d->resources.size());
        d->resources.insert(d->resources.end(),
                            {static_cast<void*>(&site), const_cast<StepSpec*>(&spec), const_cast<Graph*>(&graph)});
        d->steps.push_back(type);
    }
    for (auto& step : d->steps) step.watched = step.timed || d->cancels_branches();
    d->durable = durable_form(*d, {&slot_type<Trail>, &slot_type<Sum>, &slot_type<Round>});
    return d;
}
}
