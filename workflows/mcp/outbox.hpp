// A queue of messages to a client, between the handlers and the writer of the connection.
//
//     Outbox box;
//     box.put(text);                                // never waits
//     Outbox::OutboxReader reader;
//     auto taking = box.take(reader);
//     for (const auto& message : co_await std::move(taking)) write(message);
//
// A reader has a position, so that another reader can continue a broken stream, as far as messages are kept. Only the
// newest reader gets messages: for an older one, which may still wait, the queue is closed. Used on one loop.
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
    /// `keep`: maximum bytes of read messages that stay for another reader.
    explicit Outbox(std::size_t keep = 0) : keep_(keep) {}
    void put(std::string message);
    /// Puts the response, the last message. `status` is for HTTP, if no message came before.
    void finish(std::string answer, unsigned status = 200);
    /// Ends the messages without a response.
    void close();
    bool closed() const { return closed_; }
    std::size_t unread() const { return unread_; }  // bytes
    std::size_t kept() const { return bytes_; }
    bool finished() const { return finished_; }  // the last message is the response

    struct OutboxReader {
        std::size_t next = 0;  // number of its next message, from 0
        Signal signal;         // any thread may ring it to end take()
    };
    /// Waits for messages and returns all of them; empty after the last message, or if the signal has rung.
    awaitable<std::vector<std::string>> take(OutboxReader&);
    /// From now on the reader's signal rings for new messages, also while the reader is not in take().
    void listen(const OutboxReader& reader);
    bool at_end(const OutboxReader& reader) const { return closed_ && reader.next == first_ + kept_.size(); }
    /// Whether the queue still has all messages from this number on.
    bool has(std::size_t number) const { return number >= first_ && number <= first_ + kept_.size(); }
    bool replaced(const OutboxReader&) const;
    unsigned status() const { return status_; }

private:
    void forget();
    const std::size_t keep_;
    std::deque<std::string> kept_;
    std::size_t first_ = 0;  // number of the first kept message
    std::size_t read_ = 0, bytes_ = 0, unread_ = 0;
    bool closed_ = false, finished_ = false;
    unsigned status_ = 200;
    std::optional<Signal> signal_;  // the newest reader's
};
}
