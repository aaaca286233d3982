// A human in the loop: what is more than pocket money waits for an approval.
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
#include "steps/human/refund.hpp"

namespace weft::workflows {
inline constexpr auto refund = workflow("refund", step<steps::review>, step<steps::conclude>);
}
