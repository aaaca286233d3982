// Calls a store and awaits its answer on the caller's loop.
//
//     auto asking = store_reply<storage::LogPart>([&](auto then) { store.read_log(id, 0, 10, std::move(then)); });
//     const auto part = co_await std::move(asking);           // throws the store's error
//     const auto ended = wait_for(end_unowned(store, id));    // blocks this thread; for code without a loop
#pragma once
#include "engine/signal.hpp"
#include "engine/spawn.hpp"
#include "engine/store.hpp"
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>

namespace weft {
namespace detail {
template <class T> struct StoreReply {
    Signal signal;
    std::exception_ptr error;
    T value;
};
template <class T> awaitable<T> await_reply(std::shared_ptr<StoreReply<T>> reply) {
    auto rung = reply->signal.wait();
    co_await std::move(rung);
    if (reply->error) std::rethrow_exception(reply->error);
    co_return std::move(reply->value);
}
}
/// Calls `ask` immediately, with the callback for the store.
template <class T, class Ask> awaitable<T> store_reply(const Ask& ask) {
    const auto reply = std::make_shared<detail::StoreReply<T>>();
    ask([reply](std::exception_ptr error, T value) {
        reply->error = std::move(error);
        reply->value = std::move(value);
        reply->signal.ring();
    });
    return detail::await_reply<T>(reply);
}
/// Sends a signal to a stored run. SendReply::is_known: the store had mail with this id before, even if the run has
/// ended since. Throws Error{usage} if the run does not exist, or if its inbox is full and does not have this mail.
awaitable<storage::SendReply> mail_signal(Store&, storage::Mail);
/// Claims a run that no engine executes, and ends it as cancelled. False: an engine executes it, or it has just ended.
/// Throws Error{usage} for a store that only engines of another process may write (SqliteAccess::visitor).
awaitable<bool> end_unowned(Store&, std::string run);
/// Runs calls of stores to their end. Throws their error.
inline void wait_for(awaitable<void> work) {
    asio::io_context io{1};
    auto stays = asio::make_work_guard(io);
    std::exception_ptr failed;
    spawn(io.get_executor(), std::move(work), [&](std::exception_ptr error) {
        failed = std::move(error);
        stays.reset();
    });
    io.run();
    if (failed) std::rethrow_exception(failed);
}
template <class T> T wait_for(awaitable<T> work) {
    std::optional<T> found;
    const auto take = [](awaitable<T> of, std::optional<T>& into) -> awaitable<void> { into = co_await std::move(of); };
    wait_for(take(std::move(work), found));
    return std::move(*found);
}
}
