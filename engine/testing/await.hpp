// Runs an awaitable to its end, so a unit test of a step is a plain call.
//
//     Context ctx;
//     auto next = testing::await(handle_llm_input(ctx, input, model, dialect));
//     testing::ManualClock clock;
//     testing::await(poll_every_hour(ctx, event), clock);            // takes milliseconds
//
// The call has its own loop. Exceptions of the awaitable pass through. If no work is left and the awaitable has not
// ended, it waits for an event that never comes: that throws Error{deadlock} instead of hanging.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/clock.hpp"
#include "engine/core/wait/scope.hpp"
#include <boost/asio/io_context.hpp>

namespace weft::testing {
/// Runs the context until no work is left; the clock jumps to its next alarm whenever the context is idle.
void drive(asio::io_context&, Clock&);
[[noreturn]] void throw_deadlock();  // Error{deadlock}: the awaitable waits for an event that never comes

/// The scope of the awaitable: executor, clock and cancellation (engine/core/wait/scope.hpp). For await() only.
class Root final : public core::Scope {
public:
    using core::Scope::Scope;
    void abandoned() override {}
    void orphaned() override {}
};

template <class T> T await(awaitable<T> work, Clock& clock = real_clock()) {
    asio::io_context io{1};
    const Runtime runtime{io.get_executor(), &clock};
    Root scope(runtime);
    struct Owner {
        typename awaitable<T>::Handle coroutine;
        ~Owner() { coroutine.destroy(); }
    } owner{core::PrivateAccess::release_once(work)};
    owner.coroutine.promise().scope = &scope;
    owner.coroutine.resume();
    if (!owner.coroutine.done()) drive(io, clock);
    if (!owner.coroutine.done()) throw_deadlock();
    return owner.coroutine.promise().take();
}
}
