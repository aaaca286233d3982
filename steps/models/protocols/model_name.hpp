// Parses the name of a model as users write it: `openai:gpt-4o-mini`, `ollama:llama3.2:3b`, `script:FILE`, or bare.
//
//     ModelName name = parse_model_name("llama3.2:3b");      // Ollama's: llama3.2 is not a provider
//
// Only a known provider before the first colon is a prefix. The providers' rows (steps/models/protocols/protocols.cpp)
// claim bare names: gpt-* is OpenAI's, but gpt-oss, a model with open weights, is Ollama's, like every name that no
// other provider claims.
#pragma once
#include <string>
#include <string_view>

namespace weft::models {
struct Protocol;
/// A file in place of a server's model: a script, or a recording.
enum class ModelFile { none, script, replay };

struct ModelName {
    const Protocol* protocol = nullptr;  // the server's protocol; null for a file
    std::string model;                   // name of the model or the file
    ModelFile file = ModelFile::none;
    bool operator==(const ModelName&) const = default;
    bool is_file() const { return file != ModelFile::none; }
    std::string text() const;
};
/// Throws Error{usage} for an invalid name.
ModelName parse_model_name(std::string_view);
/// The whole name of a model whose calls a store can limit. Throws Error{usage} also for a file.
std::string limited_model(std::string_view);
}
