// The core's access to private members of handles, contexts and awaitables, as their friend. All functions are
// templates, so this header includes none of theirs.
#pragma once
#include <cstddef>
#include <utility>

namespace weft {
template <class T> class awaitable;
}
namespace weft::core {
template <class T> inline constexpr bool is_awaitable = false;
template <class T> inline constexpr bool is_awaitable<awaitable<T>> = true;
class RunCore;
[[noreturn]] void refuse_second_await();

struct PrivateAccess {
    template <class Made, class From> static Made make(From&& from) { return Made(std::forward<From>(from)); }
    // The core of a run's handle:
    template <class Handle> static RunCore& run_of(const Handle& handle) { return *handle.core_; }
    template <class Run, class Event> static void arrive(Run& run, Event&& event) {
        run.arrive(std::forward<Event>(event));
    }
    // The loop inside a user's Loop:
    template <class Loop> static auto& loop(Loop& loop) { return loop.loop_; }
    // Runs of an engine:
    template <class Engine, class... A> static auto make_or_find(Engine& engine, A&&... a) {
        return engine.make_or_find(std::forward<A>(a)...);
    }
    template <class Engine, class... A> static auto resume(Engine& engine, A&&... a) {
        return engine.resume_core(std::forward<A>(a)...);
    }
    template <class Engine, class Definitions> static auto recover(Engine& engine, Definitions definitions) {
        return engine.recover_cores(std::move(definitions));
    }
    // A context for an attempt:
    template <class Context, class RunInterface>
    static Context context(RunInterface& run, unsigned attempt, unsigned token) {
        return Context(run, attempt, token);
    }
    template <class Context> static auto& staged(Context& context) { return context.staged_; }
    // The slots in SlotValues; null for none:
    template <class Values> static auto* slots(const Values& values) { return values.values_.get(); }
    // A list that grows, as a slot:
    template <class List> static bool replaced(const List& list) { return list.replaced_; }
    template <class List> static bool cut_back(List& list, std::size_t size) { return list.cut_back(size); }
    template <class List> static void stage(List& list) { list.stage(); }
    template <class List> static void join(List& list) { list.join(); }
    template <class List> static void append_tail(List& list, const List& of) { of.append_tail_to(list); }
    // The coroutine of an awaitable, for a new owner:
    template <class Awaitable> static auto release(Awaitable&& work) noexcept { return work.release(); }
    /// The coroutine of a user's awaitable, which may have been moved away before.
    template <class Awaitable> static auto release_once(Awaitable& work) {
        demand_unawaited(work);
        return work.release();
    }
    template <class Awaitable> static void demand_unawaited(const Awaitable& work) {
        if (!work.handle_) [[unlikely]]
            refuse_second_await();
    }
};
}
