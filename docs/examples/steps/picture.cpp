// The react workflow as a picture, as printed by `weft graph react`.
#include "engine/graph.hpp"
#include "workflows/react.hpp"
#include <iostream>

int main() { std::cout << weft::mermaid(weft::graph_of(weft::workflows::react)); }
// prints:
// flowchart TD
//     n0(["UserMessageEvent"]):::start
//     n1(["PrepEvent"]):::event
//     n2(["InputEvent"]):::event
//     n3(["ToolApprovalEvent"]):::answer
//     n4(["ToolCallEvent"]):::event
//     n5(["ToolOutputEvent"]):::event
//     n6(["AnswerEvent"]):::stop
//     n7(["ToolApprovalRequestEvent"]):::question
//     n8["new_user_message"]:::step
//     n9["prepare_chat_history"]:::step
//     n10["handle_llm_input"]:::step
//     n11["hear_approvals"]:::step
//     n12["call_tool"]:::step
//     n13["observe"]:::step
//     n0 --> n8
//     n8 --> n1
//     n1 --> n9
//     n9 --> n2
//     n2 --> n10
//     n10 --> n1
//     n10 --> n6
//     n10 ==>|many| n4
//     n10 ==>|many| n7
//     n3 ==>|many| n11
//     n11 ==>|many| n7
//     n11 ==>|many| n4
//     n4 --> n12
//     n12 --> n5
//     n5 ==>|many| n13
//     n13 --> n1
//     n7 -.-> n3
//     classDef step fill:#dbe9f6,stroke:#3b6ea5,color:#123
//     classDef step_ran fill:#3b6ea5,stroke:#123,color:#fff
//     classDef start fill:#d9f2e0,stroke:#2e7d4f,color:#123
//     classDef stop fill:#f6dada,stroke:#a53b3b,color:#123
//     classDef event fill:#f5f5f0,stroke:#888,color:#123
//     classDef question fill:#fdf0cf,stroke:#b58a1b,color:#123
//     classDef answer fill:#fdf0cf,stroke:#b58a1b,color:#123
