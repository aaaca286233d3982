// A list that grows is stored by its appended items, all other slots as a whole.
#include "engine/core/slots_fold.hpp"
#include "engine/core/stored_names.hpp"
#include "engine/error.hpp"
#include "engine/journal/record.hpp"
#include "engine/json/walk.hpp"
#include <functional>
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
const SlotType* find_slot(const Definition& d, std::string_view stored) {
    const auto& listed = d.durable->slots;
    if (const auto index = find_stored(listed, stored, are_one_name, &SlotType::stored_name)) return listed[*index];
    const SlotType* found = nullptr;
    const auto look = [&](auto same) {
        for (auto* r = SlotRegistration::first(); r; r = r->next) {
            if (!same(r->type.stored_name, stored)) continue;
            if (found)
                throw Error(Code::usage, "two types of slots are stored under the name " + std::string(stored) +
                                             ": rename one, or list the one of " + std::string(d.name) +
                                             " in its durable<...>");
            found = &r->type;
        }
    };
    look(std::equal_to<>());
    if (!found) look(are_one_name);
    return found;
}
Slots::Node& SlotsFold::find(const std::string& name) {
    for (auto* node = slots_.first(); node; node = node->next)
        if (node->type->stored_name == name) return *node;
    const auto* type = find_slot(definition_, name);
    if (!type)
        throw Error(Code::journal, "a stored run of " + std::string(definition_.name) + " has a slot " + name +
                                       ", which no step stores, and which is not among those of its durable<...>: list "
                                       "it there");
    if (auto* node = slots_.find(type)) return *node;  // under the name of another compiler
    return *slots_.add(*type, nullptr, 1, 0);
}
}
