// Keeps the text of a thread's last conversations, because each request of a conversation begins with the messages of
// the one before.
//
//     thread_local WrittenMessages written;
//     written.append(text, messages, features, ...);    // {...},{...}
#pragma once
#include "steps/models/protocols/parts/features.hpp"
#include <cstdint>
#include <string>
#include <vector>

namespace weft::models {
/// At most eight conversations, each of at most 256 KB of messages and as much text. Not thread-safe.
class WrittenMessages {
public:
    /// Appends a message's text, which depends on the message and the features alone.
    using WriteMessage = void (*)(std::string& out, const Message&, const Features&);
    /// Appends all messages with commas between them. Only messages that no kept conversation begins with are written.
    /// All calls on one object need the same `write`.
    void append(std::string& out, const std::vector<Message>&, const Features&, WriteMessage write);

private:
    struct WrittenConversation {
        Features features;
        std::vector<Message> messages;
        std::vector<std::size_t> ends;  // of each message in the text
        std::string text;
        std::uint64_t used = 0;
        std::size_t common_with(const std::vector<Message>&, const Features&) const;
        /// True if the other messages are of the same conversation, whose last message may have grown.
        bool goes_on_after(std::size_t common) const { return common + 1 >= messages.size(); }
        void cut(std::size_t messages);
    };
    /// The conversation that takes these messages: the best one, if it ends where they differ, or another one that gets
    /// their common beginning. Null if all places are in use.
    WrittenConversation* place_for(WrittenConversation* best, std::size_t common);
    std::vector<WrittenConversation> kept_;
    std::uint64_t used_ = 0;
};
}
