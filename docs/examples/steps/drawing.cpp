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
// flowchart TD
//     n0(["OrderEvent"]):::start
//     n1(["PickEvent"]):::event
//     n2(["ReceiptEvent"]):::stop
//     n3["receive"]:::step
//     n4["pick"]:::step
//     n0 --> n3
//     n3 --> n1
//     n3 --> n2
//     n1 --> n4
//     n4 --> n2
//     classDef step fill:#dbe9f6,stroke:#3b6ea5,color:#123
//     classDef step_ran fill:#3b6ea5,stroke:#123,color:#fff
//     classDef start fill:#d9f2e0,stroke:#2e7d4f,color:#123
//     classDef stop fill:#f6dada,stroke:#a53b3b,color:#123
//     classDef event fill:#f5f5f0,stroke:#888,color:#123
//     classDef question fill:#fdf0cf,stroke:#b58a1b,color:#123
//     classDef answer fill:#fdf0cf,stroke:#b58a1b,color:#123
