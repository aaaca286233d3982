// The name of a tool, as models and servers decorate it.
//
//     tool_name("functions.add:0", is_tool);              // add, if that is a tool and the whole is none
//     tool_name("add<|channel|>commentary", is_tool);     // add
//
// Blanks, quotes, brackets and special tokens around a name go, and so do a namespace before it, and a number, `.call`,
// `json` or a closing mark behind it. A name that is no tool's either way stays as it was written, but for blanks and
// special tokens. Pure. Sources: vllm-project/vllm#35906 (channels), ggml-org/llama.cpp#15102 (json), Kimi K2
// (numbers), Gemini (default_api).
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace weft::models {
std::string tool_name(std::string_view written, const std::function<bool(std::string_view)>& is_tool);
}
