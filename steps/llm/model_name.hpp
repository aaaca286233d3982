// What users call models: `openai:gpt-4o-mini`, `ollama:llama3.2:3b`, `script:FILE`, or a bare name.
//
//     ModelName name = parse_model_name("llama3.2:3b");      // Ollama's: llama3.2 is no provider
//
// Only a known provider before the first colon is a prefix. Bare names that begin with gpt-, o1, o3, o4 or chatgpt- are
// OpenAI's, but for gpt-oss, whose weights are open; claude- is Anthropic's, gemini- Google's; everything else is
// Ollama's.
#pragma once
#include <string>
#include <string_view>

namespace weft::llm {
enum class Provider { openai, responses, anthropic, gemini, ollama, script, replay };
std::string_view name(Provider);
/// Whether the name that follows is a file's, and no server is asked.
constexpr bool is_file(Provider provider) { return provider == Provider::script || provider == Provider::replay; }

struct ModelName {
    Provider provider = Provider::ollama;
    std::string model;
    bool operator==(const ModelName&) const = default;
    std::string text() const { return std::string(name(provider)) + ":" + model; }
};
/// Throws Error{usage} for what cannot be a name.
ModelName parse_model_name(std::string_view);
}
