// Where Anthropic is told to cache a prompt. Its cache keeps the beginning of a request up to a block with a mark, and
// a request reads from it if it has a mark there too, or up to 20 blocks later. Internal to
// steps/models/protocols/anthropic.cpp.
//
//     CacheMarks marks(request, messages, features.usual(Feature::prompt_cache));
//     blocks = marks.text_blocks(message);               // and marks.note(message, blocks) of every message
//     marks.choose(turns);
//
// Marked are the last tool, the instructions, and of the messages that the next request begins with, too, the last one
// and the one before that turn of the model, as a turn may have more than 20 blocks: four marks, which is what the
// server takes. Without marks, the request is as servers know it that have no cache.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/protocols/wire.hpp"

namespace weft::models {
class CacheMarks {
public:
    /// The messages are those of the request, or what has become of them, with the same end. They outlive it.
    CacheMarks(const ChatRequest&, const std::vector<Message>&, bool wanted);
    /// The instructions: a text, or with a mark a block.
    wire::json system(std::string text) const;
    void mark_tools(wire::json& tools) const;
    /// A text that grows is a block for each of its parts, so that the next request begins with the same blocks.
    wire::json text_blocks(const Message&) const;
    /// Marks what this message has become if it stays as it is.
    void note(const Message&, wire::json& blocks) const;
    /// Takes back all of these but two.
    void choose(wire::json& turns) const;

private:
    bool is_kept(const Message&) const;
    const std::vector<Message>& messages_;
    const std::size_t kept_;
    const bool wanted_;
};
}
