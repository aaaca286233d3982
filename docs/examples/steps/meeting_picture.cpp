// A picture of joins, quorums and failure handlers.
#include "engine/graph.hpp"
#include <iostream>
using namespace weft;

struct TripEvent : StartEvent {};
struct AskWeatherEvent {};
struct AskTrafficEvent {};
struct WeatherEvent {};
struct TrafficEvent {};
struct AdviceEvent {};
struct PlanEvent : StopEvent {};
// [workflow]
std::vector<std::variant<AskWeatherEvent, AskTrafficEvent>> ask(Context&, TripEvent);
WeatherEvent weather(Context&, AskWeatherEvent);
TrafficEvent traffic(Context&, AskTrafficEvent);
AdviceEvent advise(Context&, WeatherEvent, TrafficEvent);
PlanEvent decide(Context&, std::vector<AdviceEvent>);
TrafficEvent guess(Context&, FailedEvent<AskTrafficEvent>);
inline constexpr auto trip = workflow("trip", step<ask>, step<weather>, step<traffic>, step<advise>,
                                      step<decide>.first(1), step<guess>);
// [/workflow]

int main() { std::cout << mermaid(graph_of(trip)); }
// prints:
// flowchart TD
//     n0(["TripEvent"]):::start
//     n1(["AskWeatherEvent"]):::event
//     n2(["AskTrafficEvent"]):::event
//     n3(["WeatherEvent"]):::event
//     n4(["TrafficEvent"]):::event
//     n5(["AdviceEvent"]):::event
//     n6(["FailedEvent&lt;AskTrafficEvent&gt;"]):::event
//     n7(["PlanEvent"]):::stop
//     n8["ask"]:::step
//     n9["weather"]:::step
//     n10["traffic"]:::step
//     n11["advise"]:::step
//     n12["decide"]:::step
//     n13["guess"]:::step
//     n0 --> n8
//     n8 ==>|many| n1
//     n8 ==>|many| n2
//     n1 --> n9
//     n9 --> n3
//     n2 --> n10
//     n10 --> n4
//     n3 -->|and| n11
//     n4 -->|and| n11
//     n11 --> n5
//     n5 ==>|first 1| n12
//     n12 --> n7
//     n6 --> n13
//     n13 --> n4
//     n10 -.->|fails| n6
//     classDef step fill:#dbe9f6,stroke:#3b6ea5,color:#123
//     classDef step_ran fill:#3b6ea5,stroke:#123,color:#fff
//     classDef start fill:#d9f2e0,stroke:#2e7d4f,color:#123
//     classDef stop fill:#f6dada,stroke:#a53b3b,color:#123
//     classDef event fill:#f5f5f0,stroke:#888,color:#123
//     classDef question fill:#fdf0cf,stroke:#b58a1b,color:#123
//     classDef answer fill:#fdf0cf,stroke:#b58a1b,color:#123
