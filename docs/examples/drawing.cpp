// A declaration as a picture.
#include "engine/graph.hpp"
#include <iostream>
using namespace weft;

struct OrderEvent : StartEvent {
    std::string item;
};
struct PickEvent {
    std::string item;
};
struct ReceiptEvent : StopEvent {
    std::string text;
};
std::variant<PickEvent, ReceiptEvent> receive(Context&, OrderEvent order) { return PickEvent{order.item}; }
ReceiptEvent pick(Context&, PickEvent pick) { return {.text = pick.item}; }
inline constexpr auto parcel = workflow("parcel", step<receive>, step<pick>);

int main() {
    // [draw]
    std::cout << mermaid(graph_of(parcel));
    // [/draw]
}
// prints:
