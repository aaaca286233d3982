// A tool whose effect must not happen twice, and which cannot tell a repeated call from a new one: it mails, it pays,
// it knows no key of idempotency.
//
//     tools.add(at_most_once(make_tool("send_mail", "Sends a mail.", send_mail)));
//
// In a durable run it is recorded on the disk that the tool begins, before it does. If the process dies, or the attempt
// of the step fails, before the observation is recorded, the tool does not run again: the model is told that the call
// may or may not have taken effect. This holds for one call of the model; the same asked for once more is another call.
// In a run without a store it is the tool itself. A tool that can pass on a key, ToolContext::key(), does better with
// that.
#pragma once
#include "tools/tool.hpp"
#include <functional>
#include <memory>

namespace weft::tools {
std::shared_ptr<Tool> at_most_once(std::shared_ptr<Tool>);
/// Only the calls of which the rule says so, by arguments that fit the schema; the others may run again.
std::shared_ptr<Tool> at_most_once(std::shared_ptr<Tool>, std::function<bool(const nlohmann::json& arguments)> rule);
/// For a tool that knows by itself which of its calls these are: the work of a call, or the sentence for the model if
/// it has been begun before. The context outlives it.
awaitable<Observation> run_at_most_once(ToolContext&, awaitable<Observation> work);
}
