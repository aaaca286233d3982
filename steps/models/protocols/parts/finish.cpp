// Sources: the API references of OpenAI, Anthropic, Gemini, Ollama, Mistral, DeepSeek, Zhipu, OpenRouter and vLLM.
#include "steps/models/protocols/parts/finish.hpp"
#include "engine/text/text.hpp"
#include "steps/models/protocols/wire/fault.hpp"
#include <algorithm>

namespace weft::models {
namespace {
using Reasons = std::initializer_list<std::string_view>;
const Reasons stops = {"stop", "end_turn", "stop_sequence", "eos", "eos_token"};
const Reasons lengths = {"length", "max_tokens", "max_output_tokens", "max_length", "model_length", "token_limit"};
const Reasons calls = {"tool_calls", "tool_use", "function_call", "tool_call"};
const Reasons refusals = {"content_filter",     "refusal", "safety",     "sensitive",   "blocklist",
                          "prohibited_content", "spii",    "recitation", "image_safety"};
const Reasons breaks = {"error", "network_error", "model_error", "insufficient_system_resource",
                        "abort", "aborted",       "cancelled",   "timeout"};
const Reasons unreadables = {"malformed_function_call", "unexpected_tool_call", "too_many_tool_calls",
                             "malformed_response"};
}
void throw_if_unreadable(std::string_view reason, const std::string& said) {
    const auto words = lower(reason);
    for (const auto word : unreadables)
        if (words.find(word) != words.npos) throw unreadable(std::string(reason) + (said.empty() ? "" : ": " + said));
}
FinishReason finish_of(std::string_view reason, const std::string& said) {
    throw_if_unreadable(reason, said);
    const auto word = lower(reason);
    const auto is_one_of = [&word](Reasons words) {
        return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (word == "model_context_window_exceeded")
        throw too_long("has no room for a reply after such a long conversation");
    if (is_one_of(breaks)) throw broken("broke its reply off, with the reason " + word);
    if (is_one_of(stops)) return FinishReason::stop;
    if (is_one_of(lengths)) return FinishReason::length;
    if (is_one_of(calls)) return FinishReason::tool_calls;
    return is_one_of(refusals) ? FinishReason::refused : FinishReason::unknown;
}
}
