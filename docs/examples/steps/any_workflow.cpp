// Runs a workflow like a server: only by its definition, with all events in JSON.
#include "engine/engine.hpp"
#include "engine/json.hpp"
#include "engine/json_run.hpp"
#include <iostream>
using namespace weft;

struct OrderEvent : StartEvent {
    std::string item;
    int count = 1;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (item, count))
struct PackedEvent {
    std::vector<std::string> boxes;
};
BOOST_DESCRIBE_STRUCT(PackedEvent, (), (boxes))
struct WeighedEvent {
    double kilograms = 0;
};
struct SentEvent : StopEvent {
    int boxes = 0;
};
BOOST_DESCRIBE_STRUCT(SentEvent, (), (boxes))

SentEvent pack(Context& ctx, OrderEvent order) {
    PackedEvent packed;
    for (int i = 0; i < order.count; ++i) packed.boxes.push_back(order.item);
    ctx.stream(packed);
    ctx.stream(WeighedEvent{1.5});
    return {.boxes = order.count};
}
constexpr auto parcel = workflow("parcel", step<pack>);

// [serve]
// Uses no type of the workflow.
nlohmann::json serve(Engine& engine, std::shared_ptr<const Definition> definition, const nlohmann::json& input) {
    const auto run = start_json(engine, std::move(definition), input);
    while (auto event = engine.wait(run.next_event())) {
        std::cout << event->name() << ' ';
        try {
            std::cout << to_json(*event) << '\n';
        } catch (const Error& error) { std::cout << "- " << error.what() << '\n'; }
    }
    return engine.wait(run.result());
}
// [/serve]

int main() {
    Engine engine;
    const auto definition = parcel.with().definition;
    std::cout << serve(engine, definition, {{"item", "tea"}, {"count", 2}}) << '\n';
    try {
        serve(engine, definition, {{"item", 7}});
    } catch (const Error& error) { std::cout << error.what() << '\n'; }
}
// prints:
// PackedEvent {"boxes":["tea","tea"]}
// WeighedEvent - WeighedEvent has no JSON form: describe it with BOOST_DESCRIBE_STRUCT, as engine/describe.hpp shows
// SentEvent {"boxes":2}
// {"boxes":2}
// input.item: expected a string, got 7
