// Starts an awaitable outside of any step.
//
//     spawn(io.get_executor(), serve(socket), asio::detached);
//     auto reply = co_await spawn(executor, ask(), asio::use_awaitable);   // in an asio::awaitable
// The awaitable runs on the given executor. The token completes with (exception_ptr[, T]) on the handler's own
// executor, which has outstanding work until then. Cancelling the token's slot cancels the awaitable. If the executor's
// context is destroyed first, the awaitable is destroyed with it; a handler on another context gets operation_aborted.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/core/wait/scope.hpp"
#include "engine/core/wait/spawned_coroutines.hpp"
#include <atomic>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <variant>

namespace weft {
namespace core {
/// Posts to another thread's context, which may be destroyed as soon as the function has run. Delays the function until
/// this thread has left post(): else post() could still use the context while the function's consequences destroy it.
template <class Executor, class Function> void post_across(const Executor& executor, Function function) {
    auto posted = std::make_shared<std::atomic<bool>>(false);
    asio::post(executor, [posted, function = std::move(function)]() mutable {
        posted->wait(false);
        function();
    });
    *posted = true;
    posted->notify_one();
}

// Owns a spawned awaitable until it ends. A posted call owns this object; while the awaitable waits, the
// SpawnedCoroutines of its context do.
template <class T, class Handler> class Spawned final : Runtime, public Scope, public Recycled, SpawnedCoroutine {
    using HandlerExecutor = asio::associated_executor_t<Handler, asio::any_io_executor>;

public:
    Spawned(Runtime runtime, awaitable<T> work, Handler handler)
        : Runtime(std::move(runtime)),
          Scope(static_cast<const Runtime&>(*this)),
          handler_(std::move(handler)),
          coroutine_(PrivateAccess::release_once(work)) {
        auto home = asio::get_associated_executor(*handler_, Runtime::executor);
        bool elsewhere = true;
        if constexpr (std::is_same_v<HandlerExecutor, asio::any_io_executor>) elsewhere = home != Runtime::executor;
        if (elsewhere) guard_.emplace(home);
        if (auto slot = asio::get_associated_cancellation_slot(*handler_); slot.is_connected())
            slot.assign([elsewhere, executor = Runtime::executor, self = self_](asio::cancellation_type) {
                const auto cancel = [self] {
                    if (*self) (*self)->cancel();
                };
                if (elsewhere) asio::post(executor, cancel);  // the awaitable is on another thread
                else cancel();
            });
        elsewhere_ = elsewhere;
    }
    ~Spawned() {
        *self_ = nullptr;
        if (coroutine_) coroutine_.destroy();
        if (!elsewhere_ || !handler_) return;  // a handler on this context is destroyed with it
        try {
            complete(aborted(), {});
        } catch (...) {}  // out of memory
    }
    static void start(std::unique_ptr<Spawned> self) {
        auto& promise = self->coroutine_.promise();
        promise.scope = self.get();
        self->coroutine_.resume();
        if (self->coroutine_.done()) return finish(std::move(self));
        promise.on_end = [](Scope* s) { later(static_cast<Spawned*>(s)); };  // the ended frame is still active here
        auto* s = self.release();
        if (!s->abandoned_) s->residents().add(*s);
    }
    void abandoned() override {
        abandoned_ = true;
        later(this);
    }
    void orphaned() override { abandoned(); }  // the awaited operation never completes

private:
    using Value = std::conditional_t<std::is_void_v<T>, std::monostate, std::optional<T>>;
    void context_goes() override { delete this; }
    SpawnedCoroutines& residents() {
        return asio::use_service<SpawnedCoroutines>(asio::query(Runtime::executor, asio::execution::context));
    }
    static void later(Spawned* s) {
        s->residents().remove(*s);
        asio::post(s->Runtime::executor, [self = std::unique_ptr<Spawned>(s)]() mutable { finish(std::move(self)); });
    }
    static void finish(std::unique_ptr<Spawned> self) {
        auto& promise = self->coroutine_.promise();
        std::exception_ptr error = self->abandoned_ ? aborted() : promise.error;
        Value value{};
        if constexpr (!std::is_void_v<T>)
            if (!error) value.emplace(std::move(*promise.value));
        std::exchange(self->coroutine_, {}).destroy();
        self->complete(std::move(error), std::move(value));
    }
    void complete(std::exception_ptr error, Value value) {
        auto handler = std::move(*handler_);
        handler_.reset();
        auto home = asio::get_associated_executor(handler, Runtime::executor);
        // The completion owns the guard: its context may be destroyed as soon as the completion has run.
        auto tell = [handler = std::move(handler), error = std::move(error), value = std::move(value),
                     guard = std::exchange(guard_, std::nullopt)]() mutable {
            if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected()) slot.clear();
            if constexpr (std::is_void_v<T>) (void)value, std::move(handler)(error);
            else std::move(handler)(error, value ? std::move(*value) : T{});
        };
        if (elsewhere_) post_across(home, std::move(tell));
        else asio::dispatch(home, std::move(tell));
    }
    std::optional<Handler> handler_;                                   // empty once called
    std::optional<asio::executor_work_guard<HandlerExecutor>> guard_;  // only if the handler's context is another one
    typename awaitable<T>::Handle coroutine_;
    std::shared_ptr<Spawned*> self_ = std::make_shared<Spawned*>(this);  // null for a late cancellation
    bool abandoned_ = false, elsewhere_ = false;
};
template <class T> struct SpawnSignature { using type = void(std::exception_ptr, T); };
template <> struct SpawnSignature<void> { using type = void(std::exception_ptr); };
}

template <class T, class Token> auto spawn(Runtime runtime, awaitable<T> work, Token&& token) {
    static_assert(std::is_void_v<T> || std::is_default_constructible_v<T>,
                  "what is spawned or waited for needs a default constructor: an error comes with an empty value");
    return asio::async_initiate<Token, typename core::SpawnSignature<T>::type>(
        [](auto handler, Runtime rt, awaitable<T> w) {
            using Spawned = core::Spawned<T, decltype(handler)>;
            auto executor = rt.executor;
            auto self = std::make_unique<Spawned>(std::move(rt), std::move(w), std::move(handler));
            asio::post(executor, [self = std::move(self)]() mutable { Spawned::start(std::move(self)); });
        },
        token, std::move(runtime), std::move(work));
}
template <class T, class Token> auto spawn(asio::any_io_executor executor, awaitable<T> work, Token&& token) {
    return spawn(Runtime{std::move(executor)}, std::move(work), std::forward<Token>(token));
}
}
