// Threads for work that blocks: files, SQLite, long calculations. A loop never does such work itself.
//
//     auto work = [query](std::stop_token stop) { return read_rows(query, stop); };   // named first
//     auto rows = co_await pool.run(std::move(work));
//
// The result, or what the work threw, comes back on the loop of whoever awaits. Cancelling requests a stop and still
// waits for the work to end, so nothing goes on in the background: work that may take long looks at its token. A pool
// that is destroyed requests a stop of all its work.
#pragma once
#include "engine/across.hpp"
#include "engine/asio.hpp"
#include "engine/error.hpp"
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <stop_token>
#include <variant>

namespace weft {
class Pool {
public:
    /// Throws Error{usage} for no threads.
    explicit Pool(std::size_t threads = 2) : threads_(threads) {
        if (threads == 0) throw Error(Code::usage, "a pool needs at least one thread");
    }
    /// Requests a stop of the work that has begun and waits for it; what still waits for a thread is dropped.
    ~Pool() {
        ending_.request_stop();
        threads_.stop();
        threads_.join();
    }
    /// Work: any callable that takes a std::stop_token and returns a movable value or nothing.
    template <class Work> awaitable<std::invoke_result_t<Work&, std::stop_token>> run(Work work) {
        using T = std::invoke_result_t<Work&, std::stop_token>;
        auto operation = start<T>(std::move(work));
        if constexpr (std::is_void_v<T>) co_await std::move(operation);
        else {
            auto value = co_await std::move(operation);
            co_return std::move(*value);
        }
    }

private:
    template <class T> using Result = std::conditional_t<std::is_void_v<T>, std::monostate, std::optional<T>>;
    template <class T> using Signature =
        std::conditional_t<std::is_void_v<T>, void(std::exception_ptr), void(std::exception_ptr, Result<T>)>;

    template <class T, class Work> auto start(Work work) {
        return asio::async_initiate<const asio::deferred_t&, Signature<T>>(
            [this](auto handler, Work w) { this->template begin<T>(std::move(handler), std::move(w)); }, asio::deferred,
            std::move(work));
    }
    template <class T, class Handler, class Work> void begin(Handler handler, Work work) {
        std::stop_source stop;
        if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected())
            slot.assign([stop](asio::cancellation_type) mutable { stop.request_stop(); });
        // The guard goes with the completion, and ends on the loop: this thread must not touch a context that may be
        // destroyed as soon as the completion has run.
        auto home = asio::get_associated_executor(handler);
        auto guard = asio::make_work_guard(home);
        asio::post(threads_, [handler = std::move(handler), work = std::move(work), home, guard = std::move(guard),
                              ending = ending_.get_token(), stop = std::move(stop)]() mutable {
            std::exception_ptr error;
            Result<T> value{};
            try {
                const std::stop_token token = stop.get_token();
                const std::stop_callback with_the_pool(std::move(ending), [&stop] { stop.request_stop(); });
                if (token.stop_requested()) throw boost::system::system_error(asio::error::operation_aborted);
                if constexpr (std::is_void_v<T>) work(token);
                else value.emplace(work(token));
            } catch (...) { error = std::current_exception(); }
            { [[maybe_unused]] const Work over = std::move(work); }  // what it captured goes before the await ends
            detail::post_across(home, [handler = std::move(handler), error = std::move(error), value = std::move(value),
                                       guard = std::move(guard)]() mutable {
                if constexpr (std::is_void_v<T>) std::move(handler)(error);
                else std::move(handler)(error, std::move(value));
            });
        });
    }
    std::stop_source ending_;
    asio::thread_pool threads_;
};
}
