// Asks whether a call of a tool may run: at a terminal by y, a, e or n, and of a program as one line.
//
//     const CallInQuestion call{.tool = "pay", .arguments = {{"amount", 500}}};
//     const auto answer = ask_approval(call, {next_line, lines.terminal()});      // {"decision": "always"}
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace weft::driver {
struct CallInQuestion {
    std::string tool;
    nlohmann::json arguments;
    std::string why = {}, mistake = {};
};
/// Of the data of a ToolApprovalRequestEvent, wherever it comes from.
CallInQuestion call_in_question(const nlohmann::json& event);

struct Asking {
    /// The line that a human or a program gives; `begun` stands there already, and may be edited. Throws at the end.
    std::function<std::string(const std::string& prompt, const std::string& begun)> next;
    bool terminal = false;
};
/// The call for a human's eyes, whole, up to 64 KB of arguments: neutralised, so that nothing in it can pretend.
std::string shown_call(const CallInQuestion&);
/// The data of the ToolApprovalEvent. Throws Error{usage} or Error{bad_json} for a line that says none.
nlohmann::json ask_approval(const CallInQuestion&, const Asking&);
}
