// Makes the error of a run from its last event, with the messages of engine/ending.hpp.
#include "workflows/catalog/stored/run_outcome.hpp"
#include "engine/any_event.hpp"
#include "engine/ending.hpp"
#include "engine/json.hpp"
#include "engine/text/utf8.hpp"

namespace weft::catalog {
using namespace storage;
namespace {
using nlohmann::json;

template <class Read> auto read_outcome_by(const RunRow& run, const json& value, Read read) {
    try {
        return read(value, "outcome");
    } catch (const Error& error) {
        throw Error(Code::journal, "the outcome of run " + repair_utf8(run.id) + " cannot be read: " + error.what());
    }
}
}

RunOutcome read_outcome(const RunRow& run) {
    return read_outcome_by(run, json::parse(run.outcome, nullptr, false), from_json<RunOutcome>);
}
json result_of_stored(const RunRow& run) {
    auto [event, data] = read_outcome(run);
    const auto* ending = ending_of(run.status);
    if (!ending) return std::move(data);
    const AnyEvent last(read_outcome_by(run, data, ending->read));
    throw ending->error(last.data());
}
}
