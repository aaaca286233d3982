// Notes come on the store's thread; any other thread reads the metrics.
#include "engine/telemetry/store_watch.hpp"
#include "engine/telemetry/metrics.hpp"
#include <atomic>

namespace weft::telemetry {
StoreNotes watch_store(Metrics& metrics, StoreNotes then) {
    struct Seen {
        std::atomic<bool> fails{false};
        std::atomic<std::uint64_t> failures{0};
    };
    const auto seen = std::make_shared<Seen>();
    metrics.gauge("weft_store_failing", "1 while the store of runs cannot be reached or written, else 0.",
                  [seen] { return seen->fails ? 1.0 : 0.0; });
    metrics.total("weft_store_failures_total", "Failures of the store of runs, each counted once.",
                  [seen] { return double(seen->failures); });
    return [seen, then = std::move(then)](const StoreNote& note) {
        if (note.fails && !seen->fails) ++seen->failures;
        seen->fails = note.fails;
        if (then) then(note);
    };
}
}
