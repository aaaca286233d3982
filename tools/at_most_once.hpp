// Marks a tool whose effect must not happen twice, and which cannot recognize a repeated call: it sends mail or pays,
// and takes no idempotency key.
//
//     tools.add(at_most_once(make_tool("send_mail", "Sends a mail.", send_mail)));
//
// A durable run records the start of the tool on the disk before it calls the tool. If the process dies or the attempt
// fails before the observation is recorded, the tool does not run again: the model reads that the call may or may not
// have taken effect. This rule holds for one call of the model; a second call with the same arguments is another call.
// In a run without a store the wrapper changes nothing. A tool that can pass on a key should use ToolContext::key()
// instead.
#pragma once
#include "tools/tool.hpp"
#include <functional>
#include <memory>

namespace weft::tools {
/// A rule marks only the calls for which it returns true; the other calls may run again. Arguments fit the schema.
std::shared_ptr<Tool> at_most_once(std::shared_ptr<Tool>,
                                   std::function<bool(const nlohmann::json& arguments)> rule = nullptr);
/// For a tool that chooses at-most-once calls itself. Returns the result of `work`, or the sentence for the model if
/// the call has begun before. The context must outlive the awaitable.
awaitable<Observation> run_at_most_once(ToolContext&, awaitable<Observation> work);
}
