// A list that grows is stored by its appended items, all other slots as a whole.
#include "engine/core/slots_fold.hpp"
#include "engine/core/stored_names.hpp"
#include "engine/error.hpp"
#include "engine/journal/record.hpp"
#include "engine/json/walk.hpp"
#include "engine/text/name_parts.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::core {
using nlohmann::json;

namespace {
void append_items(Slots::Node& node, const std::string& name, const json& items) {
    const auto& shape = *node.type->shape;
    if (!node.type->list || !shape.add)
        throw Error(Code::journal, "a stored run has added items to the slot " + name +
                                       ", which is not a list that grows any more: let the run end with the program "
                                       "that it began with, or give the new slot another name");
    for (auto& item : items) {
        const auto fill = [&](void* at) {
            json_detail::read(shape.parts[0](), item, at, json_detail::Path(node.type->name));
        };
        shape.add(node.value(), nullptr, const_cast<void*>(static_cast<const void*>(&fill)),
                  [](void* with, void* at) { (*static_cast<decltype(fill)*>(with))(at); });
    }
}
/// "shop::claim", "::claim", "{anonymous}::claim".
std::string full_name(const SlotType& type) {
    constexpr std::string_view of_clang = "(anonymous namespace)";
    std::string scope(type.scope.empty() ? "::" : type.scope);
    if (const auto at = scope.find(of_clang); at != scope.npos) scope.replace(at, of_clang.size(), "{anonymous}");
    return scope.append(type.stored_name);
}
SharedName shared_name(const SlotType& type) {
    return type.registration ? type.registration->shared.load() : SharedName::unshared;
}
template <class Fits> std::vector<const SlotType*> registered_slots(Fits fits) {
    std::vector<const SlotType*> found;
    for (auto* r = SlotRegistration::first(); r; r = r->next)
        if (fits(r->type)) found.push_back(&r->type);
    return found;
}
Error two_types(const Definition& d, std::string_view name) {
    return {Code::usage, "two types of slots are stored under the name " + std::string(name) +
                             ": rename one, or list the one of " + std::string(d.name) + " in its durable<...>"};
}
}
void SlotsFold::add(const journal::Edits& edits) {
    if (edits.slots)
        for (auto& [name, value] : *edits.slots) {
            auto& node = find(name);
            json_detail::read(*node.type->shape, value, node.value(), json_detail::Path(name));
        }
    if (edits.appended)
        for (auto& [name, items] : *edits.appended) append_items(find(name), name, items);
}
std::string stored_name(const Definition& d, const SlotType& type) {
    std::string name(type.stored_name);
    const auto shared = shared_name(type);
    if (shared == SharedName::unshared || std::ranges::find(d.durable->slots, &type) != d.durable->slots.end())
        return name;
    if (shared == SharedName::full) throw two_types(d, full_name(type));
    return full_name(type);
}
const SlotType* find_slot(const Definition& d, std::string_view stored) {
    const auto& listed = d.durable->slots;
    std::vector<const SlotType*> found;
    if (after_scope(stored) > 0)
        found = registered_slots(
            [&](const SlotType& type) { return stored.ends_with(type.stored_name) && full_name(type) == stored; });
    else if (const auto i = find_stored(listed, stored, are_one_name, &SlotType::stored_name)) return listed[*i];
    else {
        found = registered_slots([&](const SlotType& type) { return type.stored_name == stored; });
        if (found.empty())
            found = registered_slots([&](const SlotType& type) { return are_one_name(type.stored_name, stored); });
    }
    if (found.size() < 2) return found.empty() ? nullptr : found.front();
    if (const auto one = std::ranges::find_first_of(found, listed); one != found.end()) return *one;
    throw two_types(d, stored);
}
Slots::Node& SlotsFold::find(const std::string& name) {
    for (auto* node = slots_.first(); node; node = node->next)
        if (node->type->stored_name == name && shared_name(*node->type) == SharedName::unshared) return *node;
    const auto* type = find_slot(definition_, name);
    if (!type)
        throw Error(Code::journal, "a stored run of " + std::string(definition_.name) + " has a slot " + name +
                                       ", which no step stores, and which is not among those of its durable<...>: list "
                                       "it there");
    if (auto* node = slots_.find(type)) return *node;
    return *slots_.add(*type, nullptr, 1, 0);
}
}
