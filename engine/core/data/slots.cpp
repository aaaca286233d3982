// Versions show whether another attempt has committed a slot since it was staged. All merges precede the first commit,
// so a conflict leaves the run unchanged.
#include "engine/core/data/slots.hpp"
#include "engine/error.hpp"
#include <algorithm>

namespace weft::core {
namespace {
std::size_t bytes_of(const SlotType& type) {
    return sizeof(Slots::Node) + std::size_t(type.size) * (type.keeps_original ? 2 : 1);
}
// Constant before any registration; atomic, as a library may be loaded while runs are restored.
constinit std::atomic<SlotRegistration*> registered{nullptr};
}
SlotRegistration::SlotRegistration(const SlotType& t) noexcept : type(t), next(registered) {
    for (auto* other = next; other; other = other->next) {
        if (other->type.stored_name != type.stored_name) continue;
        const auto both = other->type.scope == type.scope ? SharedName::full : SharedName::bare;
        for (auto* one : {this, other}) one->shared = std::max(one->shared.load(), both);
    }
    registered = this;
}
const SlotRegistration* SlotRegistration::first() { return registered; }
void Slots::destroy(Node* n) noexcept {
    const SlotType& type = *n->type;
    type.destroy(n->value());
    if (type.keeps_original) type.destroy(n->original());
    recycler.give(n, bytes_of(type));
}
Slots::Node* Slots::add_copy(const SlotType& type, Node* of, std::uint32_t length) {
    return add(type, of ? of->value() : nullptr, of ? of->version : 0, length);
}
Slots::Node* Slots::add(const SlotType& type, const void* value, std::uint32_t version, std::uint32_t length) {
    auto* n = static_cast<Node*>(recycler.take(bytes_of(type)));
    *n = {&type, first_, version, length};
    bool copied = false;
    try {
        type.copy(n->value(), value);
        copied = true;
        if (type.keeps_original) type.copy(n->original(), value);
    } catch (...) {
        if (copied) type.destroy(n->value());
        recycler.give(n, bytes_of(type));
        throw;
    }
    return first_ = n;
}
void Slots::add_copies(const Slots& of) {
    for (auto* n = of.first_; n; n = n->next) add_copy(*n->type, n, 0);
}
void Slots::remove(Node* node) noexcept {
    Node** link = &first_;
    while (*link != node) link = &(*link)->next;
    *link = node->next;
    destroy(node);
}
const SlotType* Slots::reconcile(Slots& staged) const {
    for (Node** link = &staged.first_; *link; link = &(*link)->next) {
        Node* mine = *link;
        if (mine->length == torn) [[unlikely]]
            throw Error(Code::step_failed, "an edit of " + std::string(mine->type->name) +
                                               " threw half-way, and the step continued: let it fail, or make the edit "
                                               "one that cannot throw");
        Node* theirs = find(mine->type);
        const bool is_current = !theirs || theirs->version == mine->version;
        const auto* list = mine->type->list;
        const bool appends = list && theirs &&
                             !list->replaced(mine->value());  // true if the edit appends to the committed list
        if (is_current && !appends) {
            if (list) list->join(mine->value());
            continue;
        }
        if (!mine->type->merge) return mine->type;
        Slots merged;
        Node* node = merged.add_copy(*mine->type, theirs, list ? std::uint32_t(list->size(theirs->value())) : 0);
        const void* original = mine->type->keeps_original ? mine->original() : static_cast<void*>(&mine->length);
        if (!mine->type->merge(node->value(), original, mine->value())) return mine->type;
        merged.first_ = nullptr;
        node->next = mine->next;
        *link = node;
        destroy(mine);
    }
    return nullptr;
}
void Slots::commit(Slots& staged) noexcept {
    while (auto* mine = staged.first_) {
        staged.first_ = mine->next;
        Node** link = &first_;
        while (*link && (*link)->type != mine->type) link = &(*link)->next;
        Node* old = *link;
        mine->version = old ? old->version + 1 : 1;
        mine->next = old ? old->next : nullptr;
        *link = mine;
        if (old) destroy(old);
    }
}
void Slots::clear() noexcept {
    while (auto* n = first_) {
        first_ = n->next;
        destroy(n);
    }
}
}
