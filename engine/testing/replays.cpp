// The sentences of a replay in a test.
#include "engine/testing/replays.hpp"
#include <ostream>

namespace weft::testing {
std::string Replays::sentence() const {
    return replayed.counts() + ": " + (replayed.difference ? replayed.difference->sentence() : "no difference");
}
std::ostream& operator<<(std::ostream& out, const Replays& replays) { return out << replays.sentence(); }
}
