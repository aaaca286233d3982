// Exports runs of a store as lines of text, and imports them into another store.
//
//     export_runs(store, ids, [&](std::string_view line) { out << line << '\n'; });
//     std::ifstream in("runs.jsonl");
//     Import import(in, "runs.jsonl");
//     const auto ids = import.into(store);
//
// Each line is a JSON object that begins with `sum`, a check sum of 16 hex digits over the rest of the line, the sum of
// the line before and the number of the line. The sums reveal missing, moved and changed lines:
//     {"sum":"...","weft_export":1}                                       first
//     {"sum":"...","mail":0,"plans":[...],"run":{...},"snapshot":false,"ticks":2}
//     {"sum":"...","body":"{...}","tick":0}                               one for each tick of the run, then
//     {"sum":"...","body":"{...}","mail":"ID"}                            one for each unread mail, then
//     {"sum":"...","body":"{...}","snapshot":2}                           if the run has a snapshot
//     {"sum":"...","end":1}                                               last: the number of runs
//
// An unfinished run is ready after an import, or waits for its first time. The new store assigns epochs and owners;
// times come from the file, if the store's clock can be set.
#pragma once
#include "engine/store.hpp"
#include <functional>
#include <ios>
#include <iosfwd>
#include <memory>

namespace weft::catalog {
using OnLine = std::function<void(std::string_view)>;  // a line, without its end
/// Writes each run once. Returns a message for each damaged run, which it leaves out.
std::vector<std::string> export_runs(Store&, const std::vector<std::string>& ids, const OnLine&);

/// Throws DamagedError (engine/store/damaged.hpp) for a run that an export would leave out.
void check_readable(Store&, const std::string& id);

/// The constructor checks the whole file, without a store. The stream must be readable twice.
class Import {
public:
    using SetClock = std::function<void(std::int64_t)>;  // sets the store's time, in microseconds since 1970

    /// Throws Error{configuration} that names the file and the line.
    Import(std::istream&, std::string file);
    /// Stores one run after the other, each as a whole or not at all, and returns their ids. The store has to be an
    /// engine's. Throws Error{usage}, and stores nothing, if the store has one of the runs.
    std::vector<std::string> into(Store&, const SetClock& = {});

private:
    std::istream& in_;
    std::string file_;
    std::streamoff begin_;
    std::vector<storage::RunRow> runs_;  // rows with ids, keys and workflows only
};

/// A run in the form of the file.
struct RunRecord {
    storage::History history;
    std::vector<storage::StoredPlan> plans;  // one for each declaration in its ticks; the last is the run's
};
class RunFile {
public:
    RunFile(std::istream&, std::string name);
    ~RunFile();
    /// The next run; empty after the last one.
    std::optional<RunRecord> next();

private:
    class FileReader;
    std::unique_ptr<FileReader> reader_;
};
}
