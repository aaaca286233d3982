// What users call models: `openai:gpt-4o-mini`, `ollama:llama3.2:3b`, `script:FILE`, or a bare name.
//
//     ModelName name = parse_model_name("llama3.2:3b");      // Ollama's: llama3.2 is no provider
//
// Only a known provider before the first colon is a prefix. The providers' rows (steps/models/protocols/protocols.cpp)
// say whose a bare name is: gpt- begins OpenAI's, but gpt-oss, whose weights are open, is Ollama's, and so is every
// name that no other provider claims.
#pragma once
#include <string>
#include <string_view>

namespace weft::models {
struct Protocol;
/// What a name may stand for besides a server's model: a script that plays one, or a recording of one.
enum class ModelFile { none, script, replay };

struct ModelName {
    const Protocol* protocol = nullptr;  // of the server that is asked; null for a file
    std::string model;                   // or the file's name
    ModelFile file = ModelFile::none;
    bool operator==(const ModelName&) const = default;
    bool is_file() const { return file != ModelFile::none; }
    std::string text() const;
};
/// Throws Error{usage} for what cannot be a name.
ModelName parse_model_name(std::string_view);
}
