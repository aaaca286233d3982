// Bytes that the scanner recognises as a chunk of text are JSON, and a tree of them has that text, for all protocols of
// steps/models/protocols/parts/text_chunk_scanner.hpp. The fuzzers of the streams compare the readers' results.
#include "steps/models/protocols/parts/text_chunk_scanner.hpp"
#include <cstdlib>
#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using weft::models::TextChunkScanner;
    const std::string chunk(reinterpret_cast<const char*>(data), size);
    const std::pair<std::optional<weft::models::TextChunk> (TextChunkScanner::*)(std::string_view), const char*>
        scans[] = {{&TextChunkScanner::openai, "/choices/0/delta/content"},
                   {&TextChunkScanner::responses, "/delta"},
                   {&TextChunkScanner::anthropic, "/delta/text"},
                   {&TextChunkScanner::gemini, "/candidates/0/content/parts/0/text"},
                   {&TextChunkScanner::ollama, "/message/content"}};
    for (const auto& [scan, where] : scans) {
        TextChunkScanner scanner;
        const auto found = (scanner.*scan)(chunk);
        if (!found) continue;
        const auto tree = nlohmann::json::parse(chunk);
        if (tree.at(nlohmann::json::json_pointer(where)) != std::string(found->text)) std::abort();
        if (!found->usage.empty() && tree.at("usageMetadata") != nlohmann::json::parse(found->usage)) std::abort();
    }
    return 0;
}
