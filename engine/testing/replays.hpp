// Checks in a test that the steps of a stored run still return the same results. A file keeps former runs, so the test
// shows a breaking change before such runs are resumed.
//
//     SqliteStore store("tests/runs.db", {.access = SqliteAccess::visitor});
//     CHECK(testing::replays(durable(refund), store, "refund:A-17"));
//
// A failed check shows a sentence about the first difference. A run that cannot be replayed throws the errors of
// weft::replay (engine/replay.hpp).
#pragma once
#include "engine/replay.hpp"
#include <iosfwd>

namespace weft::testing {
struct Replays {
    Replayed replayed;
    explicit operator bool() const { return !replayed.difference; }
    /// "3 steps made again, 2 skipped: no difference", or the difference.
    std::string sentence() const;
};
std::ostream& operator<<(std::ostream&, const Replays&);
template <class W> Replays replays(const Bound<W>& workflow, Store& store, const std::string& run) {
    return {replay(workflow, history_of(store, run))};
}
}
