// The slots of a run after its ticks.
#pragma once
#include "engine/core/data/slots.hpp"
#include "engine/core/machine/definition.hpp"

namespace weft::journal {
struct Edits;
}
namespace weft::core {
class SlotsFold {
public:
    /// Folds into these slots, which belong to a run of this durable workflow.
    SlotsFold(const Definition& d, Slots& slots) : definition_(d), slots_(slots) {}
    /// Applies the changes of a record. Throws Error{journal} for a slot that is no longer listed, and Error{bad_json}.
    void add(const journal::Edits&);

private:
    Slots::Node& find(const std::string& name);
    const Definition& definition_;
    Slots& slots_;
};
}
