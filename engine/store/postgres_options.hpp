// Options of a store in PostgreSQL, beside its address. Times are in milliseconds.
#pragma once
#include "engine/store/note.hpp"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace weft {
struct PostgresOptions {
    int connect_ms = 10'000;  // how long an attempt to connect may take; also the constructor, in all
    int silence_ms = 15'000;  // a connection without an answer for so long is taken for lost, and made again
    /// How long a call waits for a lost connection before it is Error{journal}. Those that a run needs to go on, which
    /// are create(), append() and write_log(), wait without a limit: the run rests meanwhile.
    int patience_ms = 10'000;
    int closing_ms = 10'000;              // how long the destructor waits for answers
    bool hints = true;                    // by NOTIFY and LISTEN; without them engines and workers only poll
    std::size_t most_waiting = 100'000;   // calls without an answer; a further one is Error{journal}
    std::size_t most_bytes = 256u << 20;  // of what these calls store; a further one is Error{journal}
    /// Called if the server cannot be reached for two seconds while calls wait, or refuses what a run needs to go on,
    /// and when it answers again.
    StoreNotes note = {};
    std::function<std::int64_t()> now = {};  // in microseconds since 1970, for tests; else it is the server's clock
};
}
