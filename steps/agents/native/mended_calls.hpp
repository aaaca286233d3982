// Calls of the protocol whose name or arguments a model has written in another form than the protocol has: in a fence
// or marks, in single quotes, not closed, in an object of their own.
//
//     std::vector<models::ToolCall> calls = {{"c1", "Add", "{'a': 1, 'b': 2"}};
//     mend_calls(calls, tools);     // true: add {"a":1,"b":2}
//
// Arguments change only if the tool takes them then, and a name only if it is that of one tool: else they stay as they
// are, and the registry says what is wrong. A call of multi_tool_use.parallel becomes the calls in it. Pure; linear,
// for each tool. Sources: BerriAI/litellm#22503, ollama/ollama#14180, ggml-org/llama.cpp#15102.
#pragma once
#include "steps/models/message.hpp"
#include "tools/registry.hpp"

namespace weft::agents::inline native_steps {
/// Whether anything was changed.
bool mend_calls(std::vector<models::ToolCall>&, const tools::Registry&);
}
