// Random workflows as data, and their definitions, which are made at run time: the tables that a declared workflow gets
// from the compiler.
#pragma once
#include "engine/core/machine/definition.hpp"
#include "tests/simulation/world.hpp"
#include <optional>
#include <string>

namespace simulation {
using core::TypeIndex;

enum class Place : std::uint8_t {
    start,
    plain,
    ask,
    reply,
    signal,
    failure,
    ending,
    stop
};  // an event's, in the graph
struct EventSpec {
    std::string name;
    Place place = Place::plain;
    TypeIndex answers = core::no_type;  // for a reply: its question
};
enum class Deed : std::uint8_t { delay, sleep, once, at_most_once, edit, stream, request, child };
struct DeedSpec {
    Deed deed = Deed::edit;
    Duration time{};        // delay, sleep
    bool repeats = false;   // once: a second time, with the same name
    std::size_t child = 0;  // index in the graph's children
};
enum class Result : std::uint8_t {
    one,      // an event of its only type
    either,   // the value decides the type
    all,      // a fan-out of up to `most` branches
    nothing,  // consumes
    again,    // the run begins again, a limited number of times; then an event
};
struct StepSpec {
    std::string name;
    std::string first_name;          // of the first build: the step's results depend on it
    std::vector<TypeIndex> accepts;  // several: a join
    bool collects = false;
    std::uint32_t quorum = 0;  // 0: all branches
    std::uint32_t workers = 4;
    unsigned failures = 0;  // number of failing attempts; 255: each one fails, if the value is divisible by 5
    unsigned attempts = 1;
    Duration pause{};  // between attempts
    std::vector<DeedSpec> deeds;
    Result result = Result::one;
    std::vector<TypeIndex> emits;
    std::uint32_t most = 3;  // branches of a fan-out
};
struct Graph {
    std::string name;
    std::vector<EventSpec> events;  // the first one is the start event
    std::vector<StepSpec> steps;
    std::vector<std::shared_ptr<const Graph>> children;
    bool is_confluent = true;  // each order of its steps gives the same result
    bool has_signal = false, has_undo = false;
};
/// A workflow of about this size. `depth`: of its children.
std::shared_ptr<const Graph> draw_graph(World&, const std::string& name, unsigned size, unsigned depth);
/// The workflow in another build of its program: it has one more step, so that the others have other indexes, its joins
/// take their events in another order, and the step with this index has another name.
std::shared_ptr<const Graph> another_build(const Graph&, std::optional<std::size_t> renamed);

class Site;
/// The definition of the graph, for steps that act at this site. Both must outlive it.
std::shared_ptr<const core::Definition> define(const Graph&, Site&);
}
