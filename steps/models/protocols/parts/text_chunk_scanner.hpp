// Recognises chunks of a stream with text only, and the usual last chunks of OpenAI's. They need no JSON tree.
//
//     TextChunkScanner scanner;
//     if (const auto chunk = scanner.openai(event.data)) add(chunk->text);
//     else take(wire::parse(repair_utf8(event.data), key));       // any other chunk
//
// A chunk is recognised only if it is JSON to the last byte, well-formed UTF-8, and all of it is known to mean nothing
// but the members of TextChunk, so a reader takes the same from it as from the tree. Rarer chunks are left to the
// reader: calls, errors, repeated members, odd numbers. The scanner never throws.
//
// The streams of all five protocols use it: it costs a fortieth of a tree's instructions
// (docs/decisions/0019_simdjson.md). tests/bench/stream.cpp measures both.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::models {
/// Valid until the next scan, and as long as its chunk.
struct TextChunk {
    std::string_view text;
    std::string_view model;   // the model's name; may be empty
    std::string_view usage;   // openai: usage; gemini: usageMetadata; JSON text in the chunk; may be empty
    std::string_view finish;  // openai: the finish reason; may be empty
    bool has_choice = true, has_text = true;  // openai: false if the chunk has no choice, or no content
    std::string_view item;                    // responses: the item's id; may be empty
    std::int64_t index = -1;                  // anthropic: of the content block; responses: of the item; -1: missing
};

class TextChunkScanner {
    /// Accepts each counted member only once, because a parser would take the last of two.
    class MemberSet {
    public:
        bool operator()(unsigned bit) {
            const bool first = !(seen_ & bit);
            seen_ |= bit;
            return first;
        }
        bool has(unsigned bits) const { return (seen_ & bits) == bits; }

    private:
        unsigned seen_ = 0;
    };

public:
    /// Each returns null for any other chunk.
    ///
    /// Expects at most one choice, with index 0 or none; a text in delta.content, a finish reason or usage; other
    /// members of the delta null or empty; no error.
    const TextChunk* openai(std::string_view chunk);
    /// The same for a reply that is no stream, with a message in place of the delta.
    const TextChunk* openai_document(std::string_view document);
    /// Expects response.output_text.delta in `type`.
    const TextChunk* responses(std::string_view chunk);
    /// Expects content_block_delta with a text_delta, and only the members type, index and delta.
    const TextChunk* anthropic(std::string_view chunk);
    /// Expects one candidate with index 0 or none, without a finish reason; one part with text only. Also allowed:
    /// usageMetadata, modelVersion, responseId, createTime.
    const TextChunk* gemini(std::string_view chunk);
    /// Expects a message with content, its other members null or empty; done is false. Also allowed: model, created_at.
    const TextChunk* ollama(std::string_view chunk);

private:
    enum class ChunkProtocol { none, openai, anthropic };
    const TextChunk* scan_openai(std::string_view chunk, std::string_view message, std::string_view& raw_text);
    const TextChunk* like_last(ChunkProtocol, std::string_view chunk);
    void remember(ChunkProtocol, std::string_view chunk, std::string_view raw_text);

    /// The chunk of OpenAI's up to its choices, which mostly begins the next chunk, too.
    struct ChunkHead {
        std::string text;
        std::size_t model = 0, model_size = 0;  // the name's place in it
        MemberSet seen = {};
        bool may_be_error = false;
    };
    ChunkHead openai_head_;
    std::string text_;  // decoded text of a chunk with escapes
    // The last recognised chunk; the next one usually differs only in its text.
    std::string last_;
    ChunkProtocol protocol_ = ChunkProtocol::none;
    std::size_t before_ = 0, after_ = 0;  // bytes of last_ before and after its text
    TextChunk like_last_;                 // its model is a view of last_
    TextChunk found_;
};
}
