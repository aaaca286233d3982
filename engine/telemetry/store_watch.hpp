// Metrics of a store: whether it fails now, and how often it has begun to fail.
//
//     telemetry::Metrics metrics;
//     SqliteStore store("weft.db", {.note = telemetry::watch_store(metrics, [](const StoreNote& note) {
//                                       std::cerr << note.text << '\n';
//                                   })});
//
// | metric | labels | what it counts |
// |---|---|---|
// | `weft_store_failing` | | 1 while the store of runs cannot be reached or written, else 0 |
// | `weft_store_failures_total` | | how often that has begun |
#pragma once
#include "engine/store/note.hpp"

namespace weft::telemetry {
class Metrics;
/// Adds both metrics, once for one Metrics, and returns what counts notes and passes them on. The metrics outlive the
/// store.
StoreNotes watch_store(Metrics&, StoreNotes then = {});
}
