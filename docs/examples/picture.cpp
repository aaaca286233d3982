// The react workflow as a picture; the driver prints the same: weft graph react.
#include "engine/graph.hpp"
#include "workflows/react.hpp"
#include <iostream>

int main() { std::cout << weft::mermaid(weft::graph_of(weft::workflows::react)); }
// prints:
// flowchart TD
//     n0(["UserMessageEvent"]):::start
//     n1(["PrepEvent"]):::event
//     n2(["InputEvent"]):::event
//     n3(["ToolCallEvent"]):::event
//     n4(["ToolOutputEvent"]):::event
//     n5(["AnswerEvent"]):::stop
//     n6["new_user_message"]:::step
//     n7["prepare_chat_history"]:::step
//     n8["handle_llm_input"]:::step
//     n9["call_tool"]:::step
//     n10["observe"]:::step
//     n0 --> n6
//     n6 --> n1
//     n1 --> n7
//     n7 --> n2
//     n2 --> n8
//     n8 --> n1
//     n8 --> n5
//     n8 ==>|many| n3
//     n3 --> n9
//     n9 --> n4
//     n4 ==>|many| n10
//     n10 --> n1
//     classDef step fill:#dbe9f6,stroke:#3b6ea5,color:#123
//     classDef step_ran fill:#3b6ea5,stroke:#123,color:#fff
//     classDef start fill:#d9f2e0,stroke:#2e7d4f,color:#123
//     classDef stop fill:#f6dada,stroke:#a53b3b,color:#123
//     classDef event fill:#f5f5f0,stroke:#888,color:#123
//     classDef question fill:#fdf0cf,stroke:#b58a1b,color:#123
//     classDef answer fill:#fdf0cf,stroke:#b58a1b,color:#123
