// Metrics of a store: whether it is failing, and the number of failures.
//
//     telemetry::Metrics metrics;
//     SqliteStore store("weft.db", {.note = telemetry::watch_store(metrics, [](const StoreNote& note) {
//                                       std::cerr << note.text << '\n';
//                                   })});
//
// | metric | labels | meaning |
// |---|---|---|
// | `weft_store_failing` | | 1 while the store of runs cannot be reached or written, else 0 |
// | `weft_store_failures_total` | | number of such failures |
#pragma once
#include "engine/store/note.hpp"

namespace weft::telemetry {
class Metrics;
/// Adds both metrics, once for one Metrics, and returns a function that counts notes and passes them to `then`. The
/// metrics must outlive the store.
StoreNotes watch_store(Metrics&, StoreNotes then = {});
}
