// Marks the parts of a prompt that Anthropic should cache. Its cache keeps the beginning of a request up to a block
// with a mark; a later request reads it if it has a mark there or at most 20 blocks later. Internal to
// steps/models/protocols/anthropic.cpp.
//
//     CacheMarks marks(request, messages, features.usual(Feature::prompt_cache));
//     blocks = marks.text_blocks(message);               // then marks.note(message, blocks), for each message
//     marks.choose(turns);
//
// Four blocks have marks, the server's maximum: the last tool, the instructions, and two among the messages that the
// next request repeats: the last one, and the one before that turn of the model, because a turn may have more than 20
// blocks. Without marks the request suits servers without a cache.
#pragma once
#include "steps/models/chat_model.hpp"
#include "steps/models/protocols/wire/wire.hpp"

namespace weft::models {
class CacheMarks {
public:
    /// `messages` are the request's messages, or an adapted form with the same end. Both must outlive this object.
    CacheMarks(const ChatRequest&, const std::vector<Message>&, bool wanted);
    /// Returns the instructions: a text, or a block with a mark.
    wire::json system(std::string text) const;
    void mark_tools(wire::json& tools) const;
    /// Returns a growing text as one block for each of its parts, so that the next request begins with the same blocks.
    wire::json text_blocks(const Message&) const;
    /// Marks the message's last block if the next request repeats the message.
    void note(const Message&, wire::json& blocks) const;
    /// Removes all but two of the marks in messages.
    void choose(wire::json& turns) const;

private:
    bool is_kept(const Message&) const;
    const std::vector<Message>& messages_;
    const std::size_t kept_;
    const bool wanted_;
};
}
