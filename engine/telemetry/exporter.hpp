// Sends spans to a collector, in the background: OTLP over HTTP, in batches.
//
//     Exporter exporter(options);
//     exporter.start(engine.first_runtime());          // from here on it sends
//     exporter.add(std::move(text));                     // never waits; from any thread
//     co_await exporter.flush(5s);                       // before the end of the program
//
// Spans wait for `schedule_delay`, or until a batch is full. A queue that is full, or has 32 MB, drops and counts what
// would be one more. Answers 429, 502, 503 and 504 and failures of the connection are tried again, after the server's
// Retry-After or a wait that doubles, until `batch_timeout`; any other answer drops the batch. While nothing waits
// nothing runs. When the context of the runtime goes, nothing is sent any more. Headers are shown to nobody.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/telemetry/otel_settings.hpp"
#include <memory>

namespace weft::telemetry {
struct ExportCounts {
    std::uint64_t sent = 0;      // spans that a collector has taken
    std::uint64_t dropped = 0;   // for want of room, or because they could not be sent
    std::uint64_t rejected = 0;  // that a collector did not take, as it said
    std::size_t waiting = 0;
};
class Exporter {
public:
    explicit Exporter(const TracerOptions&);
    ~Exporter();
    Exporter(const Exporter&) = delete;
    /// Once. The runtime's context may go before the exporter or after it.
    void start(const Runtime&);
    void add(std::string span) noexcept;
    /// Sends all that waits now, on the caller's loop. False: not all of it was sent in that time.
    awaitable<bool> flush(Duration within);
    ExportCounts counts() const;

private:
    struct State;
    static awaitable<void> send_later(std::shared_ptr<State>);
    static awaitable<void> send_all(std::shared_ptr<State>);
    static awaitable<void> send(std::shared_ptr<State>, std::vector<std::string> spans);
    static awaitable<void> wait_until_sent(std::shared_ptr<State>);
    std::shared_ptr<State> state_;
};
}
