// A workflow's declaration as text: what its runs are stored under, so that their ticks are read by the plan that made
// them, whatever the program has become.
#pragma once
#include "engine/core/machine/definition.hpp"
#include <string>
#include <vector>

namespace weft::core {
/// Names as well as numbers, for the numbers of another declaration are others.
struct NamedPlan {
    std::string workflow;
    std::vector<std::string> steps, events;
    Plan plan;
};
BOOST_DESCRIBE_STRUCT(NamedPlan, (), (workflow, steps, events, plan))

/// Thrown where a plan is needed that is in the store and not at hand.
struct MissingPlan {
    std::string hash;
};

NamedPlan named_plan(const Definition&);
/// The slots that runs of this workflow may edit. The hash is of steps, events, edges and policies.
std::shared_ptr<const DurableForm> durable_form(const Definition&, std::vector<const SlotType*> slots);
/// Throws Error{journal} for text that is none, or is not the one of this hash.
NamedPlan read_plan(const std::string& text, const std::string& hash);
}
