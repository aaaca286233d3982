// A chunk from anywhere that is taken for nothing but text is JSON, and a tree of it has that text: by all protocols of
// steps/models/protocols/quick_look.hpp. What readers make of it is compared by the fuzzers of their streams.
#include "steps/models/protocols/quick_look.hpp"
#include <cstdlib>
#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using weft::models::QuickLook;
    const std::string chunk(reinterpret_cast<const char*>(data), size);
    const std::pair<std::optional<weft::models::TextChunk> (QuickLook::*)(std::string_view), const char*> looks[] = {
        {&QuickLook::openai, "/choices/0/delta/content"},
        {&QuickLook::responses, "/delta"},
        {&QuickLook::anthropic, "/delta/text"},
        {&QuickLook::gemini, "/candidates/0/content/parts/0/text"},
        {&QuickLook::ollama, "/message/content"}};
    for (const auto& [look, where] : looks) {
        QuickLook quick;
        const auto found = (quick.*look)(chunk);
        if (!found) continue;
        const auto tree = nlohmann::json::parse(chunk);
        if (tree.at(nlohmann::json::json_pointer(where)) != std::string(found->text)) std::abort();
        if (!found->usage.empty() && tree.at("usageMetadata") != nlohmann::json::parse(found->usage)) std::abort();
    }
    return 0;
}
