// Carries the state of a run from the declaration that it began under to the one that the program has now, by the names
// of steps and events. Pure, so that whoever folds the run later comes to the same state.
#pragma once
#include "engine/core/state.hpp"
#include "engine/core/stored_plan.hpp"
#include <map>

namespace weft::core {
using Renames = std::map<std::string, std::string>;  // what a step or an event is called now, by its former name
struct Carried {
    State state;
    std::vector<std::string> missing;  // what is live and not declared any more: then the state means nothing
};
Carried carry(const State&, const NamedPlan& from, const NamedPlan& to, const Renames&);
}
