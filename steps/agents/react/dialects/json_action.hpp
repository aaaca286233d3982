// Reads an action that a model writes as a JSON object, although its dialect has another form.
//
//     find_json_action(R"(I add. {"tool_call": {"name": "add", "arguments": {"a": 1}}})", is_tool)->name;   // add
//     read_json_action(R"({"action": "Final Answer", "action_input": "42"})", is_tool)->answer;             // 42
//
// The name and the arguments may have the keys of any known framework, in any case. The arguments may also stand beside
// the name, and another object or a list may enclose both. An object with more members, or without arguments, is an
// action only if its tool exists: else it may be an answer. Linear.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft::agents::inline react_steps {
struct JsonAction {
    enum class Kind {
        call,
        unknown,  // a call of an unknown tool
        answer,
        none,    // the object says that no tool is called
        broken,  // unreadable; `error` has the reason
    };
    Kind kind = Kind::call;
    std::string name;
    std::string arguments;  // JSON text of an object; empty: see `bare`
    std::string bare;       // arguments that are a text, or another value that is not an object
    std::string thought, answer, error;
    std::size_t begin = 0;     // position in the text, including a fence before the object
    bool has_rest = false;     // text follows the object
    std::size_t examined = 0;  // number of characters
};
/// Null if the tools are unknown: then every name counts as a tool.
using HasTool = std::function<bool(std::string_view)>;
/// Empty if the JSON is not an action. The text is strict JSON.
std::optional<JsonAction> read_json_action(const std::string& json, const HasTool&);
/// The first action in a text, at the beginning of a line or at the end of the text. Labels and fences may precede it
/// in its line.
std::optional<JsonAction> find_json_action(std::string_view text, const HasTool&);

/// True for a name by which models decline a call: None, N/A, "no tool is needed", -.
bool names_no_tool(std::string_view name);
/// True for a name by which models announce the answer: Final Answer, finish.
bool names_answer(std::string_view name);
/// The answer in an object of arguments: its only text, or the whole object.
std::string answer_in(const std::string& json);
/// Removes a namespace such as `functions.` from a name, unless a tool has the whole name.
std::string_view without_namespace(std::string_view name, const HasTool&);
}
