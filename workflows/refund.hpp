// A human in the loop: a larger refund waits for an approval.
//
//     auto run = engine.start(refund, request);
//     while (auto event = co_await run.next_event())
//         if (auto* ask = event->get_if<ApprovalRequestEvent>()) run.send(decide(*ask), event->question());
//
//     review -> the decision
//        |
//        v
//     ApprovalRequestEvent ... ApprovalEvent -> conclude -> the decision
#pragma once
#include "engine/workflow.hpp"
#include "workflows/refund_steps.hpp"

namespace weft::workflows {
inline constexpr auto refund = workflow("refund", step<review>, step<conclude>);
}
