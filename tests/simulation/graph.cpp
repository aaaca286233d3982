// Grows a graph from blocks. A block leads from one event to another one, so that every step is on a way to the end.
#include "tests/simulation/graph.hpp"
#include <algorithm>

namespace simulation {
namespace {
using namespace std::chrono_literals;
constexpr std::size_t most_steps = 40;

class Grower {
public:
    Grower(World& world, std::string name, unsigned depth) : world_(world), depth_(depth) {
        graph_->name = std::move(name);
        graph_->steps.reserve(64);  // references to steps stay valid
    }
    std::shared_ptr<const Graph> grow(unsigned size) {
        add_event(Place::start);
        if (depth_ > 0 && world_.happens(300)) {
            graph_->children.push_back(
                draw_graph(world_, graph_->name + "c", 1 + unsigned(world_.below(4)), depth_ - 1));
            graph_->is_confluent = graph_->children.back()->is_confluent;
        }
        const auto last = block(0, size);
        const auto stop = add_event(Place::stop);
        auto& step = add_step({last}, stop);
        if (world_.happens(100) && is_root()) {
            step.result = Result::again;
            step.deeds.clear();
        }
        if (is_root() && world_.happens(400)) {
            graph_->has_signal = true;
            auto& taker = add_step({add_event(Place::signal)}, core::no_type);
            taker.result = Result::nothing;
            taker.emits.clear();
            taker.failures = 0;         // signals change no result
            std::erase_if(taker.deeds,  // a child may fail
                          [](const auto& deed) { return deed.deed == Deed::edit || deed.deed == Deed::child; });
            taker.workers = 1 + std::uint32_t(world_.below(4));
            if (step.result == Result::again) taker.workers = 4;  // else its round waits for a signal that waits for it
        }
        if (world_.happens(200)) {  // a handler of all failures
            auto& handler = add_step({add_event(Place::failure)}, last);
            handler.failures = 0;
            if (has_parallel_steps_) graph_->is_confluent = false;  // its event may reach the end before others
        }
        if (is_root() && world_.happens(250)) {
            graph_->has_undo = true;
            auto& undo = add_step({add_event(Place::ending)}, core::no_type);
            undo.result = Result::nothing;
            undo.emits.clear();
            undo.failures = 0;
        }
        return graph_;
    }

private:
    bool is_root() const { return depth_ > 0; }
    TypeIndex add_event(Place place, TypeIndex answers = core::no_type) {
        const auto type = TypeIndex(graph_->events.size());
        graph_->events.push_back({"E" + std::to_string(type), place, answers});
        return type;
    }
    StepSpec& add_step(std::vector<TypeIndex> accepts, TypeIndex emits) {
        StepSpec step;
        step.name = step.first_name = "s" + std::to_string(graph_->steps.size());
        step.accepts = std::move(accepts);
        step.emits = {emits};
        step.workers = 1 + std::uint32_t(world_.below(5));
        for (auto n = world_.below(3); n > 0; --n) step.deeds.push_back(draw_deed());
        if (world_.happens(150)) {
            step.failures = world_.happens(700) ? 1 + unsigned(world_.below(2)) : 255;
            step.attempts = 1 + unsigned(world_.below(4));
            step.pause = world_.up_to(5s);
        }
        graph_->steps.push_back(std::move(step));
        return graph_->steps.back();
    }
    DeedSpec draw_deed() {
        DeedSpec spec;
        const auto kind = world_.below(graph_->children.empty() ? 7 : 8);
        spec.deed = std::vector{Deed::delay, Deed::sleep,  Deed::once,    Deed::at_most_once,
                                Deed::edit,  Deed::stream, Deed::request, Deed::child}[kind];
        if (spec.deed == Deed::delay) spec.time = world_.up_to(3s);
        if (spec.deed == Deed::sleep) spec.time = world_.up_to(20s);
        if (spec.deed == Deed::once) spec.repeats = world_.happens(300);
        return spec;
    }
    /// Adds steps from this event to another one, which is returned.
    TypeIndex block(TypeIndex from, unsigned size) {
        if (size < 2 || graph_->steps.size() + 12 > most_steps) return pass_on(from);
        const auto half = size / 2;
        switch (world_.below(7)) {
        case 0: return fan_out(from, half);
        case 1: return is_root() ? question(from) : pass_on(from);  // a child's answers need its path
        case 2: return choice(from, half);
        case 3: return join(from, half);
        default: return block(block(from, half), size - half);
        }
    }
    TypeIndex pass_on(TypeIndex from) {
        const auto to = add_event(Place::plain);
        add_step({from}, to);
        return to;
    }
    TypeIndex fan_out(TypeIndex from, unsigned size) {
        has_parallel_steps_ = true;
        const auto branch = add_event(Place::plain);
        auto& spread = add_step({from}, branch);
        spread.result = Result::all;
        spread.most = 1 + std::uint32_t(world_.below(5));
        ++fan_outs_;
        const auto ended = block(branch, size);
        --fan_outs_;
        const auto to = add_event(Place::plain);
        auto& collector = add_step({ended}, to);
        collector.collects = true;
        if (world_.happens(250)) {
            collector.quorum = 1 + std::uint32_t(world_.below(3));
            graph_->is_confluent = false;
        }
        return to;
    }
    TypeIndex question(TypeIndex from) {
        const auto ask = add_event(Place::ask);
        add_step({from}, ask);
        const auto reply = add_event(Place::reply, ask), to = add_event(Place::plain);
        add_step({reply}, to);
        return to;
    }
    TypeIndex choice(TypeIndex from, unsigned size) {
        const auto left = add_event(Place::plain), right = add_event(Place::plain), to = add_event(Place::plain);
        auto& chooser = add_step({from}, left);
        chooser.result = Result::either;
        chooser.emits.push_back(right);
        const auto a = block(left, size), b = block(right, size);
        add_step({a}, to);
        add_step({b}, to);
        return to;
    }
    TypeIndex join(TypeIndex from, unsigned size) {
        has_parallel_steps_ = true;
        if (fan_outs_ > 0) graph_->is_confluent = false;  // parts of different branches may meet
        const auto left = add_event(Place::plain), right = add_event(Place::plain), to = add_event(Place::plain);
        add_step({from}, left);
        add_step({from}, right);  // a second consumer of the same event
        const auto a = block(left, size), b = block(right, size);
        add_step({a, b}, to);
        return to;
    }

    World& world_;
    const unsigned depth_;
    bool has_parallel_steps_ = false;
    unsigned fan_outs_ = 0;  // around the place where it grows
    const std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};
}
std::shared_ptr<const Graph> draw_graph(World& world, const std::string& name, unsigned size, unsigned depth) {
    return Grower(world, name, depth).grow(size);
}
std::shared_ptr<const Graph> another_build(const Graph& graph, std::optional<std::size_t> renamed) {
    auto made = std::make_shared<Graph>(graph);
    if (renamed) made->steps[*renamed].name += "b";
    const auto shift = [](TypeIndex& type) { type += type > 0 && type != core::no_type; };
    for (auto& step : made->steps) {
        std::ranges::for_each(step.accepts, shift);
        std::ranges::reverse(step.accepts);  // a join takes its events in other places
        std::ranges::for_each(step.emits, shift);
    }
    for (auto& event : made->events) shift(event.answers);
    made->events.insert(made->events.begin() + 1, EventSpec{"EventOfB", Place::signal});
    StepSpec further;
    further.name = further.first_name = "step_of_b";
    further.accepts = {1};
    further.result = Result::nothing;
    made->steps.insert(made->steps.begin(), std::move(further));
    return made;
}
}
