// How a stored run has ended, as its result() has told it.
//
//     const auto result = result_of_stored(row);         // of the stop event; else throws the RunError
#pragma once
#include "engine/store.hpp"
#include <nlohmann/json.hpp>

namespace weft::catalog {
struct RunOutcome {
    std::string event;  // the last one: a stop event, RunFailedEvent ...
    nlohmann::json data;
};
BOOST_DESCRIBE_STRUCT(RunOutcome, (), (event, data))
/// Throws Error{journal} for what is none.
RunOutcome read_outcome(const storage::RunRow&);
/// What a run is left with that is ended from outside, by somebody who has claimed it.
storage::Left left_as_cancelled();
/// The data of the stop event. Without one it throws the RunError that the run has ended with.
nlohmann::json result_of_stored(const storage::RunRow&);
}
