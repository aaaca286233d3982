// The tables of a workflow's events and slots refer to their types' shapes, which the codec walks.
#include "engine/event_json.hpp"
#include "engine/core/stored_names.hpp"
#include "engine/json.hpp"
#include "engine/json/order.hpp"
#include "engine/run.hpp"
#include <algorithm>

namespace weft {
using json_detail::Path;
using nlohmann::json;

namespace {
const json_detail::Shape& shape_or_throw(const json_detail::Shape* shape, std::string_view name) {
    if (shape && shape->form != json_detail::Form::none) return *shape;
    throw Error(Code::bad_json, std::string(name) + ' ' + std::string(shape ? shape->flaw : json_detail::undescribed));
}
json write(const json_detail::Shape* shape, std::string_view name, const void* value) {
    return json_detail::write(shape_or_throw(shape, name), value, Path(name));
}
/// Finds an event type of a definition by a predicate.
const EventType& one_of(const Definition& d, auto is_it) {
    for (auto& type : d.events)
        if (is_it(type, d.plan.events[std::size_t(&type - d.events.data())])) return type;
    throw Error(Code::usage, "this definition has no such event, so it belongs to no workflow");
}
}

json to_json(const AnyEvent& event) {
    const auto& type = event.type();
    return write(type.shape, type.name, event.data());
}
nlohmann::ordered_json in_declared_order(const AnyEvent& event) {
    return json_detail::in_declared_order(to_json(event), *event.type().shape);
}
json to_json(const EventType& type, const void* event) { return write(type.shape, type.name, event); }
json to_json(const core::SlotType& type, const void* slot) { return write(type.shape, type.name, slot); }

std::shared_ptr<void> read_event(const EventType& type, const json& data, std::string_view root) {
    const auto& shape = shape_or_throw(type.shape, type.name);
    if (!shape.make)
        throw Error(Code::bad_json, std::string(type.name) + " cannot be read: give it a default constructor");
    struct Room {
        void (*destroy)(void*);
        void operator()(void* event) const {
            if (destroy) destroy(event);
            ::operator delete(event);
        }
    };
    std::unique_ptr<void, Room> room(::operator new(shape.size), Room{nullptr});
    shape.make(room.get());
    room.get_deleter().destroy = type.destroy;
    json_detail::read(shape, data, room.get(), Path(root.empty() ? type.name : root));
    return room;
}
void read_slot(const core::SlotType& type, const json& data, void* slot) {
    json_detail::read(shape_or_throw(type.shape, type.name), data, slot, Path(type.name));
}
nlohmann::ordered_json in_declared_order(const EventType& type, const json& schema) {
    return json_detail::schema_in_declared_order(schema, shape_or_throw(type.shape, type.name));
}
json schema(const EventType& type) {
    return json_detail::schema(shape_or_throw(type.shape, type.name), Path(type.name));
}

void refuse_without_form(const EventType& type) { shape_or_throw(type.shape, type.name); }

const EventType* find_event(const Definition& d, std::string_view name) {
    const auto found = core::find_stored(d.events, name, core::are_one_name, &EventType::name);
    return found ? &d.events[*found] : nullptr;
}
const EventType& start_event(const Definition& d) {
    return one_of(d, [](auto& type, auto&) { return type.is_start; });
}
const EventType& stop_event(const Definition& d) {
    return one_of(d, [](auto&, auto& plan) { return plan.role == core::EventRole::stop; });
}
std::vector<QuestionType> questions(const Definition& d) {
    std::vector<QuestionType> all;
    for (std::size_t q = 0; q < d.events.size(); ++q) {
        if (d.plan.events[q].role != core::EventRole::request) continue;
        auto& question = all.emplace_back(QuestionType{&d.events[q], {}});
        for (std::size_t e = 0; e < d.events.size(); ++e) {
            const auto answers = d.plan.events[e].answers;
            if (answers == q || (answers == core::any_question && !d.plan.events[q].paired))
                question.answers.push_back(&d.events[e]);
        }
    }
    for (const auto& child : d.children)
        for (auto& question : questions(*child))
            if (!std::ranges::any_of(all, [&](auto& known) { return known.asks->id == question.asks->id; }))
                all.push_back(std::move(question));
    return all;
}
std::shared_ptr<const Definition> with_child(const std::shared_ptr<const Definition>& workflow,
                                             std::shared_ptr<const Definition> child) {
    auto both = std::make_shared<Definition>(*workflow);
    both->children.push_back(std::move(child));
    return both;
}
}
