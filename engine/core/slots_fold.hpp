// The slots of a run after its ticks.
#pragma once
#include "engine/core/data/slots.hpp"
#include "engine/core/machine/definition.hpp"

namespace weft::journal {
struct Edits;
}
namespace weft::core {
/// The name under which a run of the workflow stores such a slot. It has the namespace if another type of the process
/// has the same name, and durable<...> does not list this one. Throws Error{usage} if both namespaces are the same.
std::string stored_name(const Definition&, const SlotType&);
/// The type of slots that has this stored name: among those that durable<...> lists, else among all that register
/// themselves. A stored name with a namespace belongs to the type there and to no other. Null if there is none. Throws
/// Error{usage} for several.
const SlotType* find_slot(const Definition&, std::string_view stored);

class SlotsFold {
public:
    /// Folds into these slots, which belong to a run of this durable workflow.
    SlotsFold(const Definition& d, Slots& slots) : definition_(d), slots_(slots) {}
    /// Applies the changes of a record. Throws Error{journal} for a slot that no step stores any more, and
    /// Error{bad_json}.
    void add(const journal::Edits&);

private:
    Slots::Node& find(const std::string& name);
    const Definition& definition_;
    Slots& slots_;
};
}
