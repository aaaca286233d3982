// Sends spans to a collector in the background: OTLP over HTTP, in batches.
//
//     Exporter exporter(options);
//     exporter.start(engine.first_runtime());          // starts the sending
//     exporter.add(std::move(text));                     // never waits; from any thread
//     co_await exporter.flush(5s);                       // before the end of the program
//
// Spans wait for `schedule_delay`, or until a batch is full. A queue that is full, or has 32 MB, drops and counts
// further spans. Responses 429, 502, 503 and 504 and connection failures are retried, after the server's Retry-After or
// a doubling wait, until `batch_timeout`; any other failure drops the batch. An empty queue uses no CPU. Sending ends
// with the runtime's context. Messages never contain headers.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/telemetry/otel_settings.hpp"
#include <memory>

namespace weft::telemetry {
struct ExportCounts {
    std::uint64_t sent = 0;      // spans that a collector accepted
    std::uint64_t dropped = 0;   // spans lost by a full queue or a failed batch
    std::uint64_t rejected = 0;  // spans that a collector rejected by its response
    std::size_t waiting = 0;
};
class Exporter {
public:
    explicit Exporter(const TracerOptions&);
    ~Exporter();
    Exporter(const Exporter&) = delete;
    /// Call it once. The runtime's context may end before or after the exporter.
    void start(const Runtime&);
    void add(std::string span) noexcept;
    /// Sends all waiting spans, on the caller's loop. Returns false if some were not sent in time.
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
