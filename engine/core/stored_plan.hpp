// The text of a workflow's declaration. Runs are stored with it, so that their ticks are read by the plan that made
// them, also after changes of the program.
#pragma once
#include "engine/core/machine/definition.hpp"
#include <string>
#include <vector>

namespace weft::core {
/// Names as well as indexes, because another declaration has other indexes.
struct NamedPlan {
    std::string workflow;
    std::vector<std::string> steps, events;
    Plan plan;
};
BOOST_DESCRIBE_STRUCT(NamedPlan, (), (workflow, steps, events, plan))

/// Thrown if a needed plan must first be loaded from the store.
struct MissingPlan {
    std::string hash;
};

NamedPlan named_plan(const Definition&);
/// The hash covers steps, events, edges and policies.
std::shared_ptr<const DurableForm> durable_form(const Definition&, std::vector<const SlotType*> slots = {});
/// Throws Error{journal} for an invalid text, or if its hash differs.
NamedPlan read_plan(const std::string& text, const std::string& hash);
}
