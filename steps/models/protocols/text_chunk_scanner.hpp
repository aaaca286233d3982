// Recognises chunks of a stream that hold nothing but text. Most are of this kind, and need no JSON tree.
//
//     TextChunkScanner scanner;
//     if (const auto chunk = scanner.openai(event.data)) add(chunk->text, on_delta);
//     else take(wire::parse(repair_utf8(event.data), key));       // what is anything else, or broken
//
// A chunk is recognised only if it is JSON to the last byte, well-formed UTF-8, and all of it is known to mean nothing
// but text: what a reader makes of it is what it would make of the tree. Whatever is rarer - a reason to finish,
// usage, calls, an error, a member twice, an odd number - is left to the reader's own way. It never throws.
//
// The streams of all five protocols use it: it reads 800 MiB/s of such chunks, nlohmann/json 60
// (docs/decisions/0019_simdjson.md). tests/bench/stream.cpp measures both.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::models {
/// Valid until the next chunk is scanned, and as long as this one is.
struct TextChunk {
    std::string_view text;
    std::string_view model;   // which one writes; empty if the chunk does not say
    std::string_view usage;   // gemini: its usageMetadata, a JSON object as it stands in the chunk; may be empty
    std::string_view item;    // responses: the id of the item that grows; may be empty
    std::int64_t index = -1;  // anthropic: of the content block; responses: of the item, or -1: it does not say
};

class TextChunkScanner {
public:
    /// choices: one with the index 0 or none, delta.content a string, other members of the delta null or empty; the
    /// reason to finish null, no usage, no error.
    std::optional<TextChunk> openai(std::string_view chunk);
    /// response.output_text.delta with its name in `type`.
    std::optional<TextChunk> responses(std::string_view chunk);
    /// content_block_delta with a text_delta, and no member besides type, index and delta.
    std::optional<TextChunk> anthropic(std::string_view chunk);
    /// One candidate with the index 0 or none and no reason to finish; one part with nothing but text. Besides:
    /// usageMetadata, modelVersion, responseId, createTime.
    std::optional<TextChunk> gemini(std::string_view chunk);
    /// A message with content, other members of it null or empty; done is false. Besides: model, created_at.
    std::optional<TextChunk> ollama(std::string_view chunk);

private:
    enum class Protocol { none, openai, anthropic };
    std::optional<TextChunk> like_last(Protocol, std::string_view chunk);
    std::optional<TextChunk> remember(Protocol, std::string_view chunk, std::string_view raw_text, const TextChunk&);

    std::string text_;  // where the text of a chunk has escapes
    // The last chunk that was recognised. The next one mostly differs from it in nothing but the text.
    std::string last_;
    Protocol protocol_ = Protocol::none;
    std::size_t before_ = 0, after_ = 0;  // of last_, how much is not the inside of its text
    std::size_t model_ = 0;               // of last_, where the model stands
    TextChunk found_;                     // in last_: its views are of a chunk that has gone
};
}
