// Declares that a call of this tool changes something: always, or where a rule says so. Permissions treat tools without
// this declaration as read-only (tools/permission.hpp), and run them without a question.
//
//     tools.add(changing(make_tool("send_mail", "Sends a mail.", send_mail)));
//     tools.add(changing(make_tool("shell", "Runs a command.", shell, {"command"}),
//                        [](const nlohmann::json& arguments) { return arguments.at("command") != "ls"; }));
//
// A rule gets arguments that fit the schema; a rule that throws counts as yes. Any number of runs may call it at the
// same time, and more than once for one call. needs_approval (tools/needs_approval.hpp) is stronger: a person must
// approve the call also in the mode automatic; only the mode yes runs it without a question.
#pragma once
#include "tools/tool.hpp"
#include <functional>
#include <memory>

namespace weft::tools {
/// Whether a call with these arguments changes something.
using ChangeRule = std::function<bool(const nlohmann::json& arguments)>;
std::shared_ptr<Tool> changing(
    std::shared_ptr<Tool>, ChangeRule = [](const nlohmann::json&) { return true; });
}
