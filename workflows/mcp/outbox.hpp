// A queue of messages to a client: handlers put them in, the writer of the connection takes them out.
//
//     Outbox box;
//     box.put(text);                                // never waits
//     Outbox::Reader reader;
//     auto taking = box.take(reader);
//     for (const auto& message : co_await std::move(taking)) write(message);
//
// A reader has a position, so that another one can continue where a broken stream ended, as far as messages are kept.
// Only the newest reader gets messages: for an older one that still waits, the queue is closed. On one loop.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/signal.hpp"
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace weft::mcp_server {
class Outbox {
public:
    /// `keep`: so many bytes of messages that were read stay for another reader.
    explicit Outbox(std::size_t keep = 0) : keep_(keep) {}
    void put(std::string message);
    /// The answer: nothing comes after it. Over HTTP its status, if nothing was sent before it.
    void finish(std::string answer, unsigned status = 200);
    /// Nothing more comes.
    void close();
    bool closed() const { return closed_; }
    std::size_t unread() const { return unread_; }  // bytes
    std::size_t kept() const { return bytes_; }
    bool finished() const { return finished_; }  // the last message is the answer

    struct Reader {
        std::size_t next = 0;  // the number of the message that it reads next, from 0
        Signal signal;         // also rung by whoever wants it to look up
    };
    /// The next messages, all that there are; none: it is closed and all was read, or somebody has rung the signal.
    awaitable<std::vector<std::string>> take(Reader&);
    /// The signal of this reader rings when there is something for it, also while it does not wait in take().
    void listen(const Reader& reader);
    bool at_end(const Reader& reader) const { return closed_ && reader.next == first_ + kept_.size(); }
    /// Whether it still has all messages from this one on.
    bool has(std::size_t number) const { return number >= first_ && number <= first_ + kept_.size(); }
    bool replaced(const Reader&) const;
    unsigned status() const { return status_; }

private:
    void forget();
    const std::size_t keep_;
    std::deque<std::string> kept_;
    std::size_t first_ = 0;  // the number of the first that is kept
    std::size_t read_ = 0, bytes_ = 0, unread_ = 0;
    bool closed_ = false, finished_ = false;
    unsigned status_ = 200;
    std::optional<Signal> signal_;  // of the newest reader
};
}
