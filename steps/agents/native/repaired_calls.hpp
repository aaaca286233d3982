// Mends calls whose name or arguments a model has written in another form than the protocol's: in a fence or marks, in
// single quotes, not closed, or in a separate object.
//
//     std::vector<models::ToolCall> calls = {{"c1", "Add", "{'a': 1, 'b': 2"}};
//     mend_calls(calls, tools);     // true: add {"a":1,"b":2}
//
// Arguments change only if the tool then accepts them, and a name only if it then names exactly one tool. Else they
// stay, and the registry reports the mistake. A call of multi_tool_use.parallel becomes the calls in it. Pure; linear
// for each tool. Sources: BerriAI/litellm#22503, ollama/ollama#14180, ggml-org/llama.cpp#15102.
#pragma once
#include "steps/models/message.hpp"
#include "tools/registry.hpp"

namespace weft::agents::inline native_steps {
/// Returns true if it changed a call.
bool mend_calls(std::vector<models::ToolCall>&, const tools::Registry&);
}
