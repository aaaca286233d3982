// Runs until no work is left, then lets the clock jump to the next alarm, until there is none.
#include "engine/testing/await.hpp"
#include "engine/error.hpp"

namespace weft::testing {
void drive(asio::io_context& io, Clock& clock) {
    do {
        io.restart();
        io.run();
    } while (clock.jump());
}
void throw_deadlock() {
    throw Error(Code::deadlock, "nothing is left to do, but the awaitable of the test has not ended: "
                                "it waits for an event or an answer that never comes");
}
}
