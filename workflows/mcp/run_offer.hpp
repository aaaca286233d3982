// A workflow as a tool: a call is a run of it. The start event is its arguments, the stop event its result.
//
//     Core core({.name = "shop"});
//     core.add(offer_run(server::offer(engine, refund, "asks before a refund")));
//
// The call reports streamed events as progress; until the first one, it reports settled branches of fan-outs, such as
// "3 of 8 branches". The client asks the run's questions, if it has declared elicitation. If the client has to call
// again with the answers, the run waits meanwhile, bounded in number and time. Cancelling a call cancels its run; so
// does declining its question, or answering it wrongly five times. For a question whether an agent may call a tool,
// declining rejects only that tool call, and the run continues; a client that cannot ask counts as one without an
// answer. Handlers are called on the server's loop; the runs may be on other loops.
#pragma once
#include "workflows/mcp/core.hpp"
#include "workflows/server/runs/served_workflow.hpp"

namespace weft::mcp_server {
/// Bounds of the runs that wait for the next call of a modern client, with its answers.
struct QuestionLimits {
    std::size_t waiting = 100;                                     // maximum runs that wait for a modern client
    std::chrono::nanoseconds answer_time = std::chrono::hours(1);  // their maximum time
};
/// The resources of the workflow's runs outlive the engine.
ServedTool offer_run(server::ServedWorkflow, QuestionLimits = {});
}
