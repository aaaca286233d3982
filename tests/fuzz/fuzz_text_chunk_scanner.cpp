// Bytes that the scanner recognises as a chunk are JSON, and a tree of them has the same text, finish reason and usage,
// for all protocols of steps/models/protocols/parts/text_chunk_scanner.hpp. The fuzzers of the streams compare the
// readers' results.
#include "steps/models/protocols/parts/text_chunk_scanner.hpp"
#include <cstdlib>
#include <nlohmann/json.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using weft::models::TextChunkScanner;
    const std::string chunk(reinterpret_cast<const char*>(data), size);
    const std::pair<const weft::models::TextChunk* (TextChunkScanner::*)(std::string_view), const char*> scans[] = {
        {&TextChunkScanner::openai, "/choices/0/delta/content"},
        {&TextChunkScanner::openai_document, "/choices/0/message/content"},
        {&TextChunkScanner::responses, "/delta"},
        {&TextChunkScanner::anthropic, "/delta/text"},
        {&TextChunkScanner::gemini, "/candidates/0/content/parts/0/text"},
        {&TextChunkScanner::ollama, "/message/content"}};
    for (const auto& [scan, where] : scans) {
        TextChunkScanner scanner;
        const auto found = (scanner.*scan)(chunk);
        if (!found) continue;
        using nlohmann::json;
        const auto tree = json::parse(chunk);
        const json::json_pointer text(where);
        if (found->has_text ? tree.at(text) != std::string(found->text)
                            : tree.contains(text) && !tree.at(text).is_null())
            std::abort();
        const auto* usage = scan == &TextChunkScanner::gemini ? "usageMetadata" : "usage";
        if (!found->usage.empty() && tree.at(usage) != json::parse(found->usage)) std::abort();
        const json::json_pointer finish("/choices/0/finish_reason");
        if (!found->finish.empty() && tree.at(finish) != std::string(found->finish)) std::abort();
    }
    return 0;
}
