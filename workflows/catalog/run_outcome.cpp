// The outcome stands in the run's row, which has no checksum; so it is compared with the last tick, which has one.
#include "workflows/catalog/run_outcome.hpp"
#include "engine/clock.hpp"
#include "engine/json.hpp"
#include "engine/terminal.hpp"
#include "engine/utf8.hpp"
#include <algorithm>

namespace weft::catalog {
namespace {
using nlohmann::json;

[[noreturn]] void refuse_outcome(const History& history, const std::string& why) {
    throw Error(Code::journal, "run " + repair_utf8(history.run.id) + " has ended, and how cannot be read: " + why);
}
bool is_in_last_tick(const History& history, const RunOutcome& outcome) {
    const auto last = parse_json(history.ticks.back().body, {.bytes = std::size_t{1} << 30, .depth = 96});
    if (history.run.status != RunStatus::done) return last.value("cause", "failed") == name(history.run.status);
    const auto events = last.value("events", json::array());
    return std::ranges::any_of(events, [&](const json& event) {
        return event.is_object() && event.value("event", "") == outcome.event &&
               event.value("data", json()) == outcome.data;
    });
}
[[noreturn]] void throw_failed(const json& data) {
    const auto step = data.value("step", ""), error = data.value("error", "");
    const auto code = from_json<Code>(data.value("code", json("step_failed")), "code");
    throw RunError(code, (step.empty() ? "the run" : "step " + step) + " failed: " + error,
                   std::make_exception_ptr(Error(code, error)));
}
}

RunOutcome read_outcome(const History& history) {
    try {
        auto outcome = from_json<RunOutcome>(parse_json(history.run.outcome));
        if (history.ticks.empty() || is_in_last_tick(history, outcome)) return outcome;
    } catch (const Error& error) { refuse_outcome(history, error.what()); }
    refuse_outcome(history, "it is not what its last tick came to, so the store is damaged");
}
json result_of_stored(const History& history) {
    auto [event, data] = read_outcome(history);
    switch (history.run.status) {
    case RunStatus::done: return std::move(data);
    case RunStatus::timed_out: {
        const std::chrono::duration<double> timeout(data.value("timeout", 0.0));
        throw RunError(Code::timed_out,
                       "the run has not ended within " + in_seconds(std::chrono::round<Duration>(timeout)));
    }
    case RunStatus::cancelled: throw RunError(Code::cancelled, "the run was cancelled");
    default: throw_failed(data);
    }
}
}
