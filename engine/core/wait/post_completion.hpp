// Posts a completion to another thread's context, which may be destroyed as soon as the completion has run.
#pragma once
#include <atomic>
#include <boost/asio/post.hpp>
#include <memory>

namespace weft::core {
/// Delays the function until this thread has left post(): else post() could still use the context while the function's
/// consequences destroy it.
template <class Executor, class Function> void post_across(const Executor& executor, Function function) {
    auto posted = std::make_shared<std::atomic<bool>>(false);
    boost::asio::post(executor, [posted, function = std::move(function)]() mutable {
        posted->wait(false);
        function();
    });
    *posted = true;
    posted->notify_one();
}
}
