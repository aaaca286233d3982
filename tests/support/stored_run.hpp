// Reads a stored run for tests.
#pragma once
#include "engine/store.hpp"
#include <nlohmann/json.hpp>

namespace weft {
storage::History history_of(Store&, const std::string& run);  // as in engine/replay.hpp, which compiles slower
}
using weft::history_of;

inline std::vector<nlohmann::json> ticks_of(weft::Store& store, const std::string& run) {
    std::vector<nlohmann::json> ticks;
    for (auto& tick : history_of(store, run).ticks) ticks.push_back(nlohmann::json::parse(tick.body));
    return ticks;
}
