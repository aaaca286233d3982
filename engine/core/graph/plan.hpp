// A workflow's graph for the reducer: tables of small integers.
#pragma once
#include "engine/core/graph/role.hpp"
#include "engine/describe.hpp"
#include <cstdint>
#include <vector>

namespace weft::core {
using Handle = std::uint32_t;  // index of an event's cell, a token or a group
using StepIndex = std::uint16_t;
using TypeIndex = std::uint16_t;
inline constexpr Handle none = ~Handle{0};

inline constexpr StepIndex no_step = 0xffff;
inline constexpr TypeIndex no_type = 0xffff;       // the event answers nothing
inline constexpr TypeIndex any_question = 0xfffe;  // the response declares no question
inline constexpr TypeIndex signals = 0xfffd;       // the event is a signal: it comes at any time
struct Consumer {
    StepIndex step;
    std::uint16_t part = 0;  // for a join: index of the event among its parts
};
BOOST_DESCRIBE_STRUCT(Consumer, (), (step, part))
struct EventPlan {
    EventRole role;
    std::uint16_t first = 0, count = 0;  // accepting steps: a range of Plan::consumers
    StepIndex only = no_step;            // the only accepting step, if it neither collects nor joins
    TypeIndex answers = no_type;         // for a response: type of its question
    bool paired = false;                 // for a request: a response declares it
    std::uint16_t lane = 0;              // for a request: its open questions wait in State::lanes[lane]
};
BOOST_DESCRIBE_STRUCT(EventPlan, (), (role, first, count, only, answers, paired, lane))
/// The input of an invocation: one event; all events of a fan-out, or the first n; one event for each part of a join.
enum class Takes : std::uint8_t { one, all, first, parts };
BOOST_DESCRIBE_ENUM(Takes, one, all, first, parts)
struct StepPlan {
    std::uint32_t workers = 4;
    Takes takes = Takes::one;
    std::uint8_t recoveries = 1;  // for a failure handler: maximum number of rescues in a chain of events
    std::uint16_t first_fan = 0;  // index of its first fan-out in Plan::fan_outs
    std::uint16_t parts = 0;      // for a join: number of its parts
    std::uint32_t first = 0;      // for a collector: its quorum n
    StepIndex handler = no_step;  // for its failures
};
BOOST_DESCRIBE_STRUCT(StepPlan, (), (workers, takes, recoveries, first_fan, parts, first, handler))
struct FanOutPlan {
    std::uint64_t collectors = 0;  // the steps that may end the fan-out, one bit each
    bool meets = false;            // its branches may meet without a collector: in a join, or behind a handler
};
BOOST_DESCRIBE_STRUCT(FanOutPlan, (), (collectors, meets))
struct Plan {
    std::vector<EventPlan> events;
    std::vector<StepPlan> steps;
    std::vector<Consumer> consumers;
    std::vector<FanOutPlan> fan_outs;
    std::uint16_t questions = 0;  // number of question types
    bool has_first = false;       // a collector has a quorum: groups track their open tokens
};
BOOST_DESCRIBE_STRUCT(Plan, (), (events, steps, consumers, fan_outs, questions, has_first))
}
