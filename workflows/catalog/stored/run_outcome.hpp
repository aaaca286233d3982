// The outcome of a stored run, as its result() would report it.
//
//     const auto result = result_of_stored(row);         // the stop event's data; else throws the RunError
#pragma once
#include "engine/store.hpp"
#include <nlohmann/json.hpp>

namespace weft::catalog {
struct RunOutcome {
    std::string event;  // the terminal event: a stop event, RunFailedEvent ...
    nlohmann::json data;
};
BOOST_DESCRIBE_STRUCT(RunOutcome, (), (event, data))
/// Throws Error{journal} for unreadable text.
RunOutcome read_outcome(const storage::RunRow&);
/// The data of the stop event. Throws the run's RunError if it has none.
nlohmann::json result_of_stored(const storage::RunRow&);
}
