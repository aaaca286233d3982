// In a test: whether the steps of a stored run still make what they made. Runs of long ago are kept as a file, and a
// change that would break them is seen before they are resumed.
//
//     SqliteStore store("tests/runs.db", {.access = SqliteAccess::visitor});
//     CHECK(testing::replays(durable<Claim>(refund), store, "refund:A-17"));
//
// What the check says when it fails is the sentence about the first difference. A run that cannot be replayed at all is
// what weft::replay throws (engine/replay.hpp).
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
