// Asks whether a call of a tool may run: a human answers y, a, e or n, a program writes one line.
//
//     const CallInQuestion call{.tool = "pay", .arguments = {{"amount", 500}}};
//     const auto answer = ask_approval(call, {next_line, lines.terminal()});      // {"decision": "always"}
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace weft::driver {
struct CallInQuestion {
    std::string tool;
    nlohmann::json arguments;
    std::string why = {}, mistake = {};
};
/// Reads the data of a ToolApprovalRequestEvent. Members of a wrong type are left empty.
CallInQuestion call_in_question(const nlohmann::json& event);

struct AnswerPrompt {
    /// Returns the next line of input. `begun` is editable text already in it. Throws at the end of the input.
    std::function<std::string(const std::string& prompt, const std::string& begun)> next;
    bool terminal = false;
};
/// The text of the call for a human, with up to 64 KB of arguments, and neutralised against forged output.
std::string shown_call(const CallInQuestion&);
/// The data of the ToolApprovalEvent. Throws Error{usage} or Error{bad_json} for an invalid line.
nlohmann::json ask_approval(const CallInQuestion&, const AnswerPrompt&);
}
