// A loop's thread that takes the answers to its own calls from a store's connection. An answer that a thread of the
// store takes costs one more switch of threads.
//
//     if (auto* taker = AnswerTaker::of_this_thread()) taker->await(socket, ...);
//
// The loop may be busy or end at any time, so the store also watches the connection, and takes a late answer itself.
#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <memory>

namespace weft::core {
/// Use it on the loop's thread.
class AnswerTaker : public std::enable_shared_from_this<AnswerTaker> {
public:
    using Take = std::function<void(AnswerTaker&)>;
    explicit AnswerTaker(const boost::asio::any_io_executor&);
    AnswerTaker(const AnswerTaker&) = delete;
    AnswerTaker& operator=(const AnswerTaker&) = delete;
    ~AnswerTaker();
    /// Calls `take` once on the loop's thread when the socket has data or was shut down, unless the taker awaits this
    /// connection already. Keeps a duplicate of the descriptor for further calls with the same number. False if the
    /// taker has been closed, or gets no descriptor.
    bool await(int socket, std::uint64_t connection, Take take);
    void close();

    /// The taker of the loop that now calls a store on this thread, or null.
    static AnswerTaker* of_this_thread();
    static AnswerTaker* exchange_for_this_thread(AnswerTaker*);
    /// Whether this thread executes a Take: the work that an answer causes must wait until it returns.
    static bool is_taking();

private:
    struct Socket;
    std::unique_ptr<Socket> socket_;
    std::uint64_t connection_ = 0;
    bool waits_ = false, is_closed_ = false;
};
}
