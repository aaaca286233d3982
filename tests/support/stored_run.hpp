// What a store has of a run, for tests. The store answers within the call.
#pragma once
#include "engine/store.hpp"
#include <nlohmann/json.hpp>

inline weft::storage::History history_of(weft::Store& store, const std::string& run) {
    weft::storage::History found;
    std::exception_ptr failed;
    const auto take = [&](std::exception_ptr error, weft::storage::History history) {
        failed = error;
        found = std::move(history);
    };
    store.load(run, take, 0);
    if (failed) std::rethrow_exception(failed);
    return found;
}
inline std::vector<nlohmann::json> ticks_of(weft::Store& store, const std::string& run) {
    std::vector<nlohmann::json> ticks;
    for (auto& tick : history_of(store, run).ticks) ticks.push_back(nlohmann::json::parse(tick.body));
    return ticks;
}
