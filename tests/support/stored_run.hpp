// What a store has of a run, for tests.
#pragma once
#include "engine/store.hpp"
#include <nlohmann/json.hpp>

namespace weft {
storage::History history_of(Store&, const std::string& run);  // engine/replay.hpp, which takes longer to compile
}
using weft::history_of;

inline std::vector<nlohmann::json> ticks_of(weft::Store& store, const std::string& run) {
    std::vector<nlohmann::json> ticks;
    for (auto& tick : history_of(store, run).ticks) ticks.push_back(nlohmann::json::parse(tick.body));
    return ticks;
}
