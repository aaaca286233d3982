// Makes the error of a run from its last event, with the messages of engine/ending.hpp.
#include "workflows/catalog/stored/run_outcome.hpp"
#include "engine/ending.hpp"
#include "engine/json.hpp"
#include "engine/text/utf8.hpp"

namespace weft::catalog {
using namespace storage;
namespace {
using nlohmann::json;

template <class T> T read_outcome_as(const RunRow& run, const json& value) {
    try {
        return from_json<T>(value, "outcome");
    } catch (const Error& error) {
        throw Error(Code::journal, "the outcome of run " + repair_utf8(run.id) + " cannot be read: " + error.what());
    }
}
}

RunOutcome read_outcome(const RunRow& run) {
    return read_outcome_as<RunOutcome>(run, json::parse(run.outcome, nullptr, false));
}
RunRelease left_as_cancelled() {
    return {.status = RunStatus::cancelled, .outcome = R"({"event":"RunCancelledEvent","data":{}})"};
}
json result_of_stored(const RunRow& run) {
    auto [event, data] = read_outcome(run);
    if (run.status == RunStatus::done) return std::move(data);
    if (run.status == RunStatus::cancelled) throw RunError(Code::cancelled, "the run was cancelled");
    if (run.status == RunStatus::timed_out)
        throw RunError(Code::timed_out, sentence_of(read_outcome_as<RunTimedOutEvent>(run, data)));
    const auto failed = read_outcome_as<RunFailedEvent>(run, data);
    throw RunError(failed.code, sentence_of(failed), std::make_exception_ptr(Error(failed.code, failed.error)));
}
}
