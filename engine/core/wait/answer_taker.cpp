// The descriptor is a duplicate: the store closes its own on any thread, and Asio must forget it before that.
#include "engine/core/wait/answer_taker.hpp"
#include <boost/asio/posix/stream_descriptor.hpp>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace weft::core {
namespace asio = boost::asio;
namespace {
thread_local AnswerTaker* taker_of_thread = nullptr;
thread_local bool takes_answers = false;
struct TakingScope {
    TakingScope() { takes_answers = true; }
    ~TakingScope() { takes_answers = false; }
    TakingScope(const TakingScope&) = delete;
};
}
struct AnswerTaker::Socket {
    asio::posix::stream_descriptor descriptor;
};

AnswerTaker::AnswerTaker(const asio::any_io_executor& executor)
    : socket_(new Socket{asio::posix::stream_descriptor(executor)}) {}
AnswerTaker::~AnswerTaker() = default;
AnswerTaker* AnswerTaker::of_this_thread() { return taker_of_thread; }
AnswerTaker* AnswerTaker::exchange_for_this_thread(AnswerTaker* taker) { return std::exchange(taker_of_thread, taker); }
bool AnswerTaker::is_taking() { return takes_answers; }
void AnswerTaker::close() {
    is_closed_ = true;
    boost::system::error_code ignored;
    socket_->descriptor.close(ignored);
}
bool AnswerTaker::await(int socket, std::uint64_t connection, Take take) {
    if (is_closed_) return false;
    if (waits_ && connection == connection_) return true;
    auto& descriptor = socket_->descriptor;
    boost::system::error_code error;
    if (connection != connection_ || !descriptor.is_open()) {
        descriptor.close(error);
        waits_ = false;
        connection_ = connection;
        const int own = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
        if (own < 0) return false;
        descriptor.assign(own, error);
        if (error) {
            ::close(own);
            return false;
        }
    }
    waits_ = true;
    descriptor.async_wait(
        asio::posix::descriptor_base::wait_read,
        [of = weak_from_this(), connection, take = std::move(take)](boost::system::error_code failed) {
            const auto taker = of.lock();
            if (!taker || taker->is_closed_ || taker->connection_ != connection) return;
            taker->waits_ = false;
            if (failed) return;
            const TakingScope taking;
            take(*taker);
        });
    return true;
}
}
