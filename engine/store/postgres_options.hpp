// What a store in PostgreSQL may be told, beside its address. Times are in milliseconds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace weft {
struct PostgresOptions {
    int connect_ms = 10'000;  // how long each try to connect may take, and making the store
    int silence_ms = 15'000;  // a server that is asked and says nothing for so long is taken for lost
    /// So long a call waits for a lost connection; then it is Error{journal}. Those that a run needs to go on, which
    /// are create(), append() and write_log(), wait as long as it takes: the run rests meanwhile.
    int patience_ms = 10'000;
    int closing_ms = 10'000;                 // how long the destructor waits for answers
    bool hints = true;                       // by NOTIFY and LISTEN; else who waits for something looks now and then
    std::size_t most_waiting = 100'000;      // calls that have no answer yet; a further one is Error{journal}
    std::size_t most_bytes = 256u << 20;     // that these bring
    std::function<std::int64_t()> now = {};  // in microseconds since 1970, for tests; else it is the server's clock
};
}
