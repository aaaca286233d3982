// Random pairs of declarations that differ by small changes, and random runs in the middle of their work: each run is
// either refused, or carried over, and then no step gets an event that it does not accept, and no part waits for ever.
// A fault shows its seed.
#include "engine/core/carry.hpp"
#include "engine/core/machine/reducer.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <random>
using namespace weft;
using namespace weft::core;

namespace {
using Names = std::vector<std::string>;
struct FanOut {
    Names collectors;
    bool meets = false;
};
struct Step {
    std::string name;
    Takes takes = Takes::one;
    Names events;
    std::uint32_t workers = 2, first = 0;
    std::vector<FanOut> fan_outs;
};
struct Declared {
    std::vector<Step> steps;
    Names plain, questions;  // events; each question has an answer, which the first step accepts
};
class Dice {
public:
    explicit Dice(std::uint32_t seed) : random_(seed) {}
    std::size_t below(std::size_t n) { return std::size_t(random_() % n); }
    bool one_in(std::size_t n) { return below(n) == 0; }
    template <class List> auto& any(List& list) { return list[below(list.size())]; }
    template <class List> void shuffle(List& list) { std::shuffle(list.begin(), list.end(), random_); }

private:
    std::mt19937 random_;
};
std::string answer_of(const std::string& question) { return "to_" + question; }
bool collects(const Step& step) { return step.takes == Takes::all || step.takes == Takes::first; }

NamedPlan plan_of(const Declared& declared) {
    NamedPlan named{.workflow = "drawn", .steps = {}, .events = {}, .plan = {}};
    Plan& plan = named.plan;
    const auto number = [&](const std::string& name) {
        return std::size_t(std::find(named.steps.begin(), named.steps.end(), name) - named.steps.begin());
    };
    for (auto& step : declared.steps) named.steps.push_back(step.name);
    for (auto& step : declared.steps) {
        StepPlan planned{.workers = step.workers, .takes = step.takes};
        planned.first_fan = std::uint16_t(plan.fan_outs.size());
        planned.parts = std::uint16_t(step.takes == Takes::parts ? step.events.size() : 1);
        planned.first = step.first;
        plan.has_first = plan.has_first || step.first > 0;
        plan.steps.push_back(planned);
        for (auto& fan : step.fan_outs) {
            FanOutPlan f{.collectors = 0, .meets = fan.meets};
            for (auto& collector : fan.collectors)
                if (const auto s = number(collector); collects(declared.steps[s]))
                    f.collectors |= std::uint64_t{1} << s;
            plan.fan_outs.push_back(f);
        }
    }
    const auto add = [&](const std::string& name, EventPlan event) {
        event.first = std::uint16_t(plan.consumers.size());
        for (StepIndex s = 0; s < StepIndex(declared.steps.size()); ++s) {
            const auto& takes = declared.steps[s].events;
            const auto at = std::find(takes.begin(), takes.end(), name);
            if (at == takes.end()) continue;
            const bool joins = declared.steps[s].takes == Takes::parts;
            plan.consumers.push_back({s, std::uint16_t(joins ? at - takes.begin() : 0)});
            event.count++;
        }
        if (event.count == 1 && plan.steps[plan.consumers.back().step].takes == Takes::one)
            event.only = plan.consumers.back().step;
        named.events.push_back(name);
        plan.events.push_back(event);
    };
    for (auto& name : declared.plain) add(name, {.role = EventRole::plain});
    for (auto& name : declared.questions) {
        const auto asked = TypeIndex(named.events.size());
        add(name, {.role = EventRole::request,
                   .paired = true,
                   .lane = std::uint16_t(declared.steps.size() + plan.questions++)});
        add(answer_of(name), {.role = EventRole::plain, .answers = asked});
    }
    return named;
}
void fill(Dice& dice, const Declared& declared, Step& step) {  // all but its name
    constexpr Takes forms[] = {Takes::one, Takes::one, Takes::all, Takes::first, Takes::parts};
    step.takes = forms[dice.below(std::size(forms))];
    auto events = declared.plain;
    dice.shuffle(events);
    events.resize(step.takes == Takes::parts ? 2 + dice.below(2) : 1 + dice.below(2));
    step.events = std::move(events);
    step.workers = std::uint32_t(1 + dice.below(3));
    step.first = step.takes == Takes::first ? std::uint32_t(1 + dice.below(4)) : 0;
}
FanOut drawn_fan_out(Dice& dice, const Declared& declared) {
    FanOut fan{.collectors = {}, .meets = dice.one_in(3)};
    for (auto& step : declared.steps)
        if (collects(step) && dice.one_in(2)) fan.collectors.push_back(step.name);
    return fan;
}
Declared drawn(Dice& dice) {
    Declared declared;
    declared.plain = {"A", "B", "C", "D"};
    declared.questions = {"Q", "R"};
    for (const auto* name : {"s", "t", "u", "v", "w"}) {
        auto& step = declared.steps.emplace_back(Step{.name = name, .takes = Takes::one, .events = {}, .fan_outs = {}});
        fill(dice, declared, step);
    }
    declared.steps.front().takes = Takes::one;
    declared.steps.front().first = 0;
    declared.steps.front().events = {"A", answer_of("Q"), answer_of("R")};
    for (auto& step : declared.steps)
        for (auto n = dice.below(3); n > 0; --n) step.fan_outs.push_back(drawn_fan_out(dice, declared));
    return declared;
}
/// Makes one small change of a kind that users make.
void change(Dice& dice, Declared& declared) {
    auto& step = declared.steps[1 + dice.below(declared.steps.size() - 1)];
    switch (dice.below(9)) {
    case 0: return dice.shuffle(declared.plain);
    case 1: return dice.shuffle(declared.questions);
    case 2: return dice.shuffle(step.events);
    case 3:
        if (step.takes == Takes::first) step.first = std::uint32_t(1 + dice.below(4));
        return;
    case 4: step.workers = std::uint32_t(1 + dice.below(3)); return;
    case 5: return fill(dice, declared, step);
    case 6: {
        const auto more = dice.any(declared.plain);
        if (std::find(step.events.begin(), step.events.end(), more) == step.events.end()) step.events.push_back(more);
        return;
    }
    case 7:
        step.fan_outs.resize(dice.below(3));
        for (auto& fan : step.fan_outs) fan = drawn_fan_out(dice, declared);
        return;
    default: return dice.shuffle(declared.steps);
    }
}

/// A run without payloads: a cell is the number of an event, with only its type.
class Driven {
public:
    Driven(Dice& dice, NamedPlan named) : dice_(dice), named_(std::move(named)), state_(named_.plan) {}

    void begin() { arrive("A"); }
    void go_on(std::size_t ticks) {
        for (; ticks > 0 && !wrong_; --ticks) {
            const auto running = of(TokenPhase::running), delayed = of(TokenPhase::delayed),
                       asked = of(TokenPhase::question);
            const auto choice = dice_.below(10);
            if (choice == 0 && !asked.empty()) answer(dice_.any(asked));
            else if (choice == 1 && !delayed.empty()) tell({.kind = Tick::due, .token = dice_.any(delayed)});
            else if (!running.empty()) step_on(dice_.any(running), choice);
            else if (choice == 2) arrive("A");
        }
    }
    /// Ends all present work without new work.
    void drain() {
        for (int turns = 0; turns < 10'000 && !wrong_; ++turns)
            if (const auto running = of(TokenPhase::running); !running.empty()) finish(running.front(), 0, {});
            else if (const auto delayed = of(TokenPhase::delayed); !delayed.empty())
                tell({.kind = Tick::due, .token = delayed.front()});
            else if (const auto asked = of(TokenPhase::question); !asked.empty()) answer(asked.front());
            else break;
        if (state_.live > 0) blame("something is on its way, and nothing goes on");
        const auto groups = state_.groups.in_use();
        if (std::find(groups.begin(), groups.end(), true) != groups.end()) blame("a fan-out waits for ever");
        if (state_.meeting) check_partials();
    }
    /// Whether the run is carried over.
    bool carry_to(const NamedPlan& to) {
        auto carried = carry(state_, types_, named_, to, {});
        if (!carried.missing.empty() || !carried.changed.empty()) return false;
        for (auto& type : types_) {
            const auto& name = named_.events[type];
            const auto now = std::find(to.events.begin(), to.events.end(), name) - to.events.begin();
            type = TypeIndex(now);
        }
        named_ = to;
        state_ = std::move(carried.state);
        const auto used = state_.tokens.in_use();
        for (Handle h = 0; h < used.size(); ++h)
            if (used[h] && state_.tokens[h].phase == TokenPhase::running) check_given(state_.tokens[h].step, h);
        return true;
    }
    const State& state() const { return state_; }
    const char* wrong() const { return wrong_; }

private:
    void blame(const char* what) {
        if (!wrong_) wrong_ = what;
    }
    Handle put(TypeIndex type) {
        types_.push_back(type);
        return Handle(types_.size() - 1);
    }
    TypeIndex type(const std::string& name) const {
        return TypeIndex(std::find(named_.events.begin(), named_.events.end(), name) - named_.events.begin());
    }
    std::vector<Handle> of(TokenPhase phase) const {
        std::vector<Handle> all;
        const auto used = state_.tokens.in_use();
        for (Handle h = 0; h < used.size(); ++h)
            if (used[h] && state_.tokens[h].phase == phase) all.push_back(h);
        return all;
    }
    void arrive(const std::string& name) {
        const Emitted event{put(type(name)), type(name)};
        tell({.kind = Tick::arrived, .events = {&event, 1}});
    }
    void answer(Handle question) {
        const auto answers = type(answer_of(named_.events[state_.tokens[question].step]));
        const Emitted event{put(answers), answers};
        tell({.kind = Tick::arrived,
              .events = {&event, 1},
              .question = question_id(question, state_.tokens[question].items)});
    }
    void step_on(Handle token, std::size_t choice) {
        if (state_.tokens[token].dropped) return tell({.kind = Tick::dropped, .token = token});
        if (choice == 3) return tell({.kind = Tick::failed, .retry = true, .token = token});
        const auto s = state_.tokens[token].step;
        const auto& steps = named_.plan.steps;
        const auto end = s + 1u < steps.size() ? steps[s + 1u].first_fan : named_.plan.fan_outs.size();
        const auto fan_out = dice_.below(end - steps[s].first_fan + 1);
        std::vector<TypeIndex> emitted(fan_out ? dice_.below(5) : dice_.below(2));
        for (auto& each : emitted)
            each = type(dice_.one_in(6) ? (dice_.one_in(2) ? "Q" : "R") : std::string(1, char('A' + dice_.below(4))));
        finish(token, std::uint8_t(fan_out), emitted);
    }
    void finish(Handle token, std::uint8_t fan_out, const std::vector<TypeIndex>& emitted) {
        if (state_.tokens[token].dropped) return tell({.kind = Tick::dropped, .token = token});
        std::vector<Emitted> events;
        for (auto each : emitted) events.push_back({put(each), each});
        tell({.kind = Tick::finished, .fan_out = fan_out, .token = token, .events = events});
    }
    void tell(const Tick& tick) {
        Commands out;
        reduce(named_.plan, state_, tick, out);
        for (auto& command : std::span<const Command>(out))
            if (command.kind == Command::invoke) check_given(command.step, command.token);
    }
    void check_given(StepIndex s, Handle h) {
        const Token& token = state_.tokens[h];
        const auto& step = named_.plan.steps[s];
        if (step.takes == Takes::one) return check_accepts(s, token.cell, 0);
        std::uint16_t n = 0;
        for (Handle item = token.items; item != none; item = state_.tokens[item].next)
            check_accepts(s, state_.tokens[item].cell, step.takes == Takes::parts ? n++ : (++n, 0));
        if (step.takes == Takes::parts && n != step.parts) blame("a join is not given each of its parts");
        if (step.takes == Takes::first && n > step.first) blame("a collector is given more than its first n");
    }
    void check_accepts(StepIndex s, Handle cell, unsigned part) {
        if (cell >= types_.size()) return blame("a step is given no event");
        const auto& event = named_.plan.events[types_[cell]];
        for (auto& consumer : std::span(named_.plan.consumers).subspan(event.first, event.count))
            if (consumer.step == s && consumer.part == part) return;
        blame("a step is given what it does not take");
    }
    void check_partials() {
        std::vector<std::uint16_t> come(named_.plan.steps.size());
        auto& partials = state_.meeting->partials;
        for (Handle p = state_.meeting->first_partial; p != none; p = partials[p].next)
            come[partials[p].step] += partials[p].first != none;
        for (std::size_t s = 0; s < come.size(); ++s)
            if (come[s] == named_.plan.steps[s].parts) blame("a join that has each of its parts does not run");
    }
    Dice& dice_;
    NamedPlan named_;
    State state_;
    std::vector<TypeIndex> types_;  // by cell
    const char* wrong_ = nullptr;
};
}
TEST_CASE("a run in any state is carried over or refused when its declaration has changed in any way") {
    std::size_t carried = 0, refused = 0;
    for (std::uint32_t seed = 0; seed < 6000; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        auto declared = drawn(dice);
        Driven run(dice, plan_of(declared));
        run.begin();
        run.go_on(dice.below(60));
        REQUIRE_FALSE(run.wrong());
        for (auto n = 1 + dice.below(2); n > 0; --n) change(dice, declared);
        if (!run.carry_to(plan_of(declared))) {
            ++refused;
            continue;
        }
        ++carried;
        run.go_on(dice.below(60));
        run.drain();
        REQUIRE_MESSAGE(!run.wrong(), std::string(run.wrong() ? run.wrong() : ""));
    }
    CHECK(carried > 1000);
    CHECK(refused > 300);
}
TEST_CASE("a run is carried over as it is when its declaration is the same") {
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
        CAPTURE(seed);
        Dice dice(seed);
        const auto named = plan_of(drawn(dice));
        Driven run(dice, named);
        run.begin();
        run.go_on(dice.below(60));
        REQUIRE(run.carry_to(named));
        run.go_on(20);
        run.drain();
        REQUIRE_FALSE(run.wrong());
    }
}
