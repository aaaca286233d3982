// Declares that a call of this tool changes something: always, or where a rule says so. What is not declared so only
// reads, as far as permissions know (tools/permission.hpp), and runs without a question.
//
//     tools.add(changing(make_tool("send_mail", "Sends a mail.", send_mail)));
//     tools.add(changing(make_tool("shell", "Runs a command.", shell, {"command"}),
//                        [](const nlohmann::json& arguments) { return arguments.at("command") != "ls"; }));
//
// A rule gets arguments that fit the schema; one that throws says yes. It is called more than once for a call, and by
// any number of runs at the same time. needs_approval (tools/needs_approval.hpp) says more: somebody has to see the
// call, also in the mode automatic; only yes runs it without a question.
#pragma once
#include "tools/tool.hpp"
#include <functional>
#include <memory>

namespace weft::tools {
using ChangeRule = std::function<bool(const nlohmann::json& arguments)>;
std::shared_ptr<Tool> changing(std::shared_ptr<Tool>);
std::shared_ptr<Tool> changing(std::shared_ptr<Tool>, ChangeRule);
}
