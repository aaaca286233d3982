// A list that grows is stored by its appended items, all other slots as a whole.
#include "engine/core/slots_fold.hpp"
#include "engine/core/record.hpp"
#include "engine/core/stored_names.hpp"
#include "engine/error.hpp"
#include "engine/journal/record.hpp"
#include "engine/json/walk.hpp"
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
Slots::Node& SlotsFold::find(const std::string& name) {
    const auto& all = definition_.durable->slots;
    const auto index = find_stored(all, name, are_one_name, [](auto* type) { return snake_case(type->name); });
    if (!index)
        throw Error(Code::journal, "a stored run of " + std::string(definition_.name) + " has a slot " + name +
                                       ", which its durable<...> does not list: add it there");
    const auto* type = all[*index];
    if (auto* node = slots_.find(type)) return *node;
    return *slots_.add(*type, nullptr, 1, 0);
}
}
