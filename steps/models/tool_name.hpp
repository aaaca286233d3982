// Finds the name of a tool in the decorated form that models and servers write.
//
//     tool_name("functions.add:0", is_tool);              // add, if that is a tool and the whole is not
//     tool_name("add<|channel|>commentary", is_tool);     // add
//
// Removes blanks, quotes, brackets and special tokens around a name, a namespace before it, and a number, `.call`,
// `json` or a closing mark behind it. A name that matches no tool stays as it was, without blanks and special tokens.
// Pure. Sources: vllm-project/vllm#35906 (channels), ggml-org/llama.cpp#15102 (json), Kimi K2 (numbers), Gemini
// (default_api).
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace weft::models {
std::string tool_name(std::string_view written, const std::function<bool(std::string_view)>& is_tool);
}
