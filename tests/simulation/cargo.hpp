// The events of random workflows. All have the same members, so that one step function serves every place in a graph.
#pragma once
#include "engine/describe.hpp"
#include "engine/event.hpp"
#include "engine/growing.hpp"
#include <cstdint>
#include <string>

namespace simulation {
using namespace weft;
struct Cargo {
    std::uint64_t value = 0;
    std::uint32_t round = 0;  // of a start event: number of times the run has begun again
    std::string from;         // the key of the invocation that made it; empty: it came from outside
};
BOOST_DESCRIBE_STRUCT(Cargo, (), (value, round, from))
struct StartCargo : StartEvent {
    Cargo cargo;
};
BOOST_DESCRIBE_STRUCT(StartCargo, (), (cargo))
struct PlainCargo {
    Cargo cargo;
};
BOOST_DESCRIBE_STRUCT(PlainCargo, (), (cargo))
struct AskCargo : InputRequiredEvent {
    Cargo cargo;
};
BOOST_DESCRIBE_STRUCT(AskCargo, (), (cargo))
inline constexpr std::uint64_t value_of_answers = 7;  // of all, so that their order changes no result
struct ReplyCargo : HumanResponseEvent {
    Cargo cargo;
};
BOOST_DESCRIBE_STRUCT(ReplyCargo, (), (cargo))
struct SignalCargo : SignalEvent {
    Cargo cargo;
};
BOOST_DESCRIBE_STRUCT(SignalCargo, (), (cargo))
struct StopCargo : StopEvent {
    Cargo cargo;
};
BOOST_DESCRIBE_STRUCT(StopCargo, (), (cargo))
struct NoteCargo {  // streamed on the way
    std::uint64_t value = 0;
};
BOOST_DESCRIBE_STRUCT(NoteCargo, (), (value))

// The slots that steps of random workflows edit.
struct Trail : Growing<std::uint64_t> {};  // values of edits, and numbers of taken signals
struct Sum {
    std::uint64_t value = 0;
    static Sum merge(const Sum& original, const Sum& committed, Sum& edited) {
        return {committed.value + edited.value - original.value};
    }
};
BOOST_DESCRIBE_STRUCT(Sum, (), (value))
struct Round {  // number of times the run has begun again
    std::uint32_t value = 0;
};
BOOST_DESCRIBE_STRUCT(Round, (), (value))
}
