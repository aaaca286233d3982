// Options of a PostgreSQL store, apart from its address. Times are in milliseconds.
#pragma once
#include "engine/store/note.hpp"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace weft {
struct PostgresOptions {
    int connect_ms = 10'000;  // limit of one attempt to connect, and of the constructor
    int silence_ms = 15'000;  // a connection without an answer for this time counts as lost, and is opened again
    /// The longest wait of a call for a lost connection before the call fails with Error{journal}. create(), append()
    /// and write_log() wait without a limit, and the run waits for them.
    int patience_ms = 10'000;
    int closing_ms = 10'000;              // limit of the destructor's wait for answers
    bool hints = true;                    // use NOTIFY and LISTEN; without them engines and workers only poll
    std::size_t most_waiting = 100'000;   // maximum calls without an answer; a further call fails with Error{journal}
    std::size_t most_bytes = 256u << 20;  // maximum size of these calls; a further call fails with Error{journal}
    /// Called if the server is unreachable for two seconds while calls wait, or refuses data of a run, and when it
    /// answers again.
    StoreNotes note = {};
    std::function<std::int64_t()> now = {};  // microseconds since 1970, for tests; empty: the server's clock
};
}
