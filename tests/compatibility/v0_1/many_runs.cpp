// Many runs: a limit with a queue, runs that are idle, and an observer of all of them.
#include "engine/engine.hpp"
#include "engine/observer.hpp"
#include <iostream>
#include <mutex>
using namespace weft;

struct OrderEvent : StartEvent {
    int number = 0;
};
struct ConfirmEvent : InputRequiredEvent {
    int number = 0;
};
struct ConfirmedEvent : Answers<ConfirmEvent> {};
struct ReceiptEvent : StopEvent {};

ConfirmEvent ask(Context&, OrderEvent order) { return {.number = order.number}; }
ReceiptEvent pay(Context&, ConfirmedEvent) { return {}; }

// [limit]
inline constexpr auto orders = workflow("orders", step<ask>, step<pay>).runs_at_once(2);
// [/limit]

// [observer]
class Statistics : public Observer {  // its engine has several loops: it locks
public:
    void run_queued(const Run&) noexcept override { count(queued_); }
    void run_ended(const Run&, Cause cause) noexcept override { count(cause == Cause::stopped ? done_ : not_done_); }
    void print() const {
        std::lock_guard lock(mutex_);
        std::cout << queued_ << " had to wait, " << done_ << " done, " << not_done_ << " not done\n";
    }

private:
    void count(int& what) {
        std::lock_guard lock(mutex_);
        ++what;
    }
    mutable std::mutex mutex_;
    int queued_ = 0, done_ = 0, not_done_ = 0;
};
// [/observer]

// [reader]
awaitable<void> confirm(RunOf<orders> run) {
    while (auto event = co_await run.next_event()) {
        if (auto* question = event->get_if<ConfirmEvent>()) std::cout << "order " << question->number << '\n';
        if (auto* idle = event->get_if<RunIdleEvent>()) {
            std::cout << "waits for " << idle->waits_for << '\n';
            run.send(ConfirmedEvent{});
        }
    }
}
// [/reader]

int main() {
    // [main]
    Statistics statistics;
    {
        Engine engine({.runs_at_once = 100, .observer = &statistics});
        auto first = engine.start(orders, {.number = 1}, {.tell_idle = true});
        auto second = engine.start(orders, {.number = 2});
        auto third = engine.start(orders, {.number = 3});
        engine.wait(confirm(first));  // which makes room for the third
        third.cancel();
        try {
            engine.wait(third.result());
        } catch (const RunError& e) { std::cout << e.what() << '\n'; }
    }  // the second one is cancelled with the engine
    statistics.print();
    // [/main]
}
// prints:
// order 1
// waits for an answer to ConfirmEvent (ConfirmedEvent, for step pay)
// the run was cancelled
// 1 had to wait, 1 done, 2 not done
