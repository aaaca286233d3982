// A workflow as a tool: a call is a run of it. The start event is its arguments, the stop event its result.
//
//     Core core({.name = "shop"});
//     core.add(offer_run(server::offer(engine, refund, "asks before a refund")));
//
// Events that the run streams are told as progress; as long as it streams none, how many branches of its fan-outs have
// settled, "3 of 8 branches". Its questions are asked at the client, which has to have declared elicitation. A run
// whose client has to call again with the answers waits in between, bounded in number and time. Cancelling a call
// cancels its run, and so does declining its question, or answering it wrongly five times. But if the question is
// whether an agent may call a tool, declining rejects only that call, and the run goes on; a client that cannot be
// asked counts as one that has not answered. On the server's loop; the runs may be on others.
#pragma once
#include "workflows/mcp/core.hpp"
#include "workflows/server/runs/served_workflow.hpp"

namespace weft::mcp_server {
struct RunLimits {
    std::size_t waiting = 100;                                     // runs that wait for the answer of a modern client
    std::chrono::nanoseconds answer_time = std::chrono::hours(1);  // and how long they do
};
/// What the workflow's runs need outlives the engine.
Offer offer_run(server::ServedWorkflow, RunLimits = {});
}
