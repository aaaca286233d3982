// An action that a model writes as a JSON object where its dialect has another form for it.
//
//     find_json_action(R"(I add. {"tool_call": {"name": "add", "arguments": {"a": 1}}})", is_tool)->name;   // add
//     read_json_action(R"({"action": "Final Answer", "action_input": "42"})", is_tool)->answer;             // 42
//
// The name and the arguments stand under any of the names that frameworks have for them, in any case, or the arguments
// stand beside the name; around both may be one more object or a list. An object that says more, or that has no
// arguments, is an action only if there is a tool of that name: else it may be an answer. Linear.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft::agents::inline react_steps {
struct JsonAction {
    enum class Kind {
        call,
        unknown,  // a call, but there is no such tool
        answer,
        none,    // it says that no tool is called
        broken,  // `error` says why it cannot be read
    };
    Kind kind = Kind::call;
    std::string name;
    std::string arguments;  // JSON text of an object; empty: they are
    std::string bare;       // a text, or a value that is no object
    std::string thought, answer, error;
    std::size_t begin = 0;     // in the text, with a fence around it
    bool has_rest = false;     // there is text behind it
    std::size_t examined = 0;  // characters
};
/// Null if the tools are not known: then there is each.
using HasTool = std::function<bool(std::string_view)>;
/// Nothing if it is no action. The text is strict JSON.
std::optional<JsonAction> read_json_action(const std::string& json, const HasTool&);
/// The first in a text, at the beginning of a line or at the end of all; words that are labels or fences may stand
/// before it in its line.
std::optional<JsonAction> find_json_action(std::string_view text, const HasTool&);

/// A name by which models say that they call nothing: None, N/A, "no tool is needed", -.
bool names_no_tool(std::string_view name);
/// A name by which they say that they answer: Final Answer, finish.
bool names_answer(std::string_view name);
/// The text that an object of arguments holds for an answer: the only one in it, or the whole.
std::string answer_in(const std::string& json);
/// The name without a namespace such as `functions.`, if there is no tool with it.
std::string_view without_namespace(std::string_view name, const HasTool&);
}
