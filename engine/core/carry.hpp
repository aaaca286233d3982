// Carries the state of a run from its former declaration to the program's present one, by the names of steps and
// events. Pure, so that every later fold reaches the same state.
#pragma once
#include "engine/core/machine/state.hpp"
#include "engine/core/stored_plan.hpp"
#include <map>

namespace weft::core {
using Renames = std::map<std::string, std::string>;  // former to present names of steps and events
struct Carried {
    State state;
    // Problems with live items. If there is any, the state is invalid.
    std::vector<std::string> missing;  // names that are no longer declared
    std::vector<std::string> changed;  // sentences about items that no longer fit
};
/// `types`: the types of the tokens' events, by the indexes of `from`.
Carried carry(const State&, const std::vector<TypeIndex>& types, const NamedPlan& from, const NamedPlan& to,
              const Renames&);
std::string present_name(const std::string& former, const Renames&);
}
