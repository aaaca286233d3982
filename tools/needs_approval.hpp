// Declares that a person must approve a call of this tool before it runs: always, or where a rule says so.
//
//     tools.add(needs_approval(make_tool("send_mail", "Sends a mail.", send_mail)));
//     tools.add(needs_approval(make_tool("pay", "Pays an amount.", pay, {"amount", "to"}),
//                              [](const nlohmann::json& arguments) { return arguments.at("amount") >= 100; }));
//
// The agents of weft ask before such a call (steps/agents/common/approvals.hpp). Code decides which calls need
// approval, never the model. A rule that throws counts as yes. It gets arguments that fit the schema; any number of
// runs may call it at the same time, and more than once for one call.
#pragma once
#include "tools/tool.hpp"
#include <functional>
#include <memory>

namespace weft::tools {
/// Whether a call with these arguments needs an approval.
using ApprovalRule = std::function<bool(const nlohmann::json& arguments)>;
std::shared_ptr<Tool> needs_approval(
    std::shared_ptr<Tool>, ApprovalRule = [](const nlohmann::json&) { return true; });
}
