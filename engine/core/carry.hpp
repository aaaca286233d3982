// Carries the state of a run from the declaration that it began under to the one that the program has now, by the names
// of steps and events. Pure, so that whoever folds the run later comes to the same state.
#pragma once
#include "engine/core/machine/state.hpp"
#include "engine/core/stored_plan.hpp"
#include <map>

namespace weft::core {
using Renames = std::map<std::string, std::string>;  // what a step or an event is called now, by its former name
struct Carried {
    State state;
    // Of what is live. If there is any, the state means nothing.
    std::vector<std::string> missing;  // is not declared any more
    std::vector<std::string> changed;  // cannot be what it was, in sentences
};
/// `types`: of the events that tokens have, by the numbers of `from`.
Carried carry(const State&, const std::vector<TypeIndex>& types, const NamedPlan& from, const NamedPlan& to,
              const Renames&);
std::string present_name(const std::string& former, const Renames&);
}
