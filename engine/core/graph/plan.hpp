// A workflow's graph as the reducer sees it: tables of small integers.
#pragma once
#include "engine/core/graph/role.hpp"
#include "engine/describe.hpp"
#include <cstdint>
#include <vector>

namespace weft::core {
using Handle = std::uint32_t;  // of an event's cell, a token or a group
using StepIndex = std::uint16_t;
using TypeIndex = std::uint16_t;
inline constexpr Handle none = ~Handle{0};

inline constexpr StepIndex no_step = 0xffff;
inline constexpr TypeIndex no_type = 0xffff;       // of an event that answers nothing
inline constexpr TypeIndex any_question = 0xfffe;  // of a response that is declared to answer none in particular
struct Consumer {
    StepIndex step;
    std::uint16_t part = 0;  // of a join: which of its events this is
};
BOOST_DESCRIBE_STRUCT(Consumer, (), (step, part))
struct EventPlan {
    Role role;
    std::uint16_t first = 0, count = 0;  // who accepts it: a range of Plan::consumers
    StepIndex only = no_step;            // the one who does, if it is one and neither collects nor joins
    TypeIndex answers = no_type;         // of a response: the type of its question
    bool paired = false;                 // of a request: a response is declared to answer it
    std::uint16_t lane = 0;              // of a request: its open questions wait in State::lanes[lane]
};
BOOST_DESCRIBE_STRUCT(EventPlan, (), (role, first, count, only, answers, paired, lane))
/// What a step is invoked with: an event; of a fan-out all events, or the first n; one event for each part of a join.
enum class Takes : std::uint8_t { one, all, first, parts };
BOOST_DESCRIBE_ENUM(Takes, one, all, first, parts)
struct StepPlan {
    std::uint32_t workers = 4;
    Takes takes = Takes::one;
    std::uint8_t recoveries = 1;  // of a failure handler: how often events that lead to one another may be rescued
    std::uint16_t first_fan = 0;  // the step's fan-outs begin here in Plan::fan_outs
    std::uint16_t parts = 0;      // of a join: how many events it accepts together
    std::uint32_t first = 0;      // of a collector of the first n: n
    StepIndex handler = no_step;  // takes its failures
};
BOOST_DESCRIBE_STRUCT(StepPlan, (), (workers, takes, recoveries, first_fan, parts, first, handler))
struct FanOutPlan {
    std::uint64_t collectors = 0;  // the steps that a fan-out may end in, one bit each
    bool meets = false;            // its branches may meet where no collector shows: in a join, or behind a handler
};
BOOST_DESCRIBE_STRUCT(FanOutPlan, (), (collectors, meets))
struct Plan {
    std::vector<EventPlan> events;
    std::vector<StepPlan> steps;
    std::vector<Consumer> consumers;
    std::vector<FanOutPlan> fan_outs;
    std::uint16_t questions = 0;  // types of them
    bool has_first = false;       // some collector goes on with the first n: groups know what is open in them
};
BOOST_DESCRIBE_STRUCT(Plan, (), (events, steps, consumers, fan_outs, questions, has_first))
}
