// Runs a whole workflow in a test: records its events, controls its time, and returns at its end.
//
//     testing::Recorder seen;
//     auto decision = testing::run(refund.with(desk), {.amount = 80}, {.recorder = &seen},
//                                  testing::answer<ApprovalRequestEvent>([](const ApprovalRequestEvent& ask) {
//                                      return ApprovalEvent{.granted = ask.amount < 100};
//                                  }));
//     CHECK(decision.text == "granted");
//     CHECK(seen.names() == std::vector<std::string>{"ApprovalRequestEvent", "DecisionEvent"});
//     CHECK(seen.only<ApprovalRequestEvent>().amount == 80);
//
// The run has its own loop in the calling thread. Its clock is manual and jumps when the run is idle; ids and waits
// between attempts come from a fixed seed, so a test always does the same. A failure of the run is thrown as by
// weft::run, and the recorder keeps the events until then. A run that cannot end fails with its diagnosis instead of
// hanging: RunError{idle} if it waits for an answer that no listener gives, Error{deadlock} if a step waits for
// something else, Error{timed_out} after `at_most`.
#pragma once
#include "engine/loop.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/manual_clock.hpp"
#include <boost/asio/io_context.hpp>
#include <utility>

namespace weft::testing {
/// The events of a stream in order, the terminal event last.
class Recorder {
public:
    /// Records an event. Not thread-safe, like the whole recorder.
    void add(AnyEvent event) { events_.push_back(std::move(event)); }
    void clear() { events_.clear(); }
    std::size_t size() const { return events_.size(); }
    const AnyEvent& operator[](std::size_t i) const { return events_.at(i); }
    auto begin() const { return events_.begin(); }
    auto end() const { return events_.end(); }
    std::vector<std::string> names() const;

    /// Copies of all events of one type.
    template <class E> std::vector<E> all() const {
        std::vector<E> found;
        for (auto& event : events_)
            if (auto* e = event.template get_if<E>()) found.push_back(*e);
        return found;
    }
    /// The number of events of one type.
    template <class E> std::size_t count() const {
        std::size_t n = 0;
        for (auto& event : events_) n += event.template get_if<E>() != nullptr;
        return n;
    }
    /// Returns the only event of its type. Throws Error{usage} with a list of the events unless there is exactly one.
    template <class E> const E& only() const {
        if (const auto n = count<E>(); n != 1) throw_not_one(core::type_name<E>, n);
        const E* found = nullptr;
        for (auto& event : events_)
            if (auto* e = event.template get_if<E>()) found = e;
        return *found;
    }

private:
    [[noreturn]] void throw_not_one(std::string_view type, std::size_t n) const;
    std::vector<AnyEvent> events_;
};

/// The setup of a test's run; all members are optional.
struct Setup {
    Recorder* recorder = nullptr;
    Clock* clock = nullptr;                                       // null: the run's own ManualClock
    std::uint64_t seed = 0;                                       // for the run's id and the waits between attempts
    Store* store = nullptr;                                       // for durable runs
    RunOptions run = {};                                          // timeout, slots, id, observer
    SlotValues* left = nullptr;                                   // gets the slots of the run after its end
    std::chrono::nanoseconds at_most = std::chrono::seconds(30);  // real time
};

namespace detail {
template <class R> struct WorkflowOf;
template <class W> struct WorkflowOf<Run<W>> { using type = W; };
}
/// Returns a listener that answers each question of one type, also of child runs. The function gets the question and
/// returns the answer.
template <class Question, class Function> auto answer(Function function) {
    return [function = std::move(function)](auto& run, const AnyEvent& event) mutable {
        if (auto* question = event.get_if<Question>()) {
            auto reply = function(*question);
            using Workflow = typename detail::WorkflowOf<std::remove_cvref_t<decltype(run)>>::type;
            if constexpr (Workflow::template takes<decltype(reply)>) run.send(std::move(reply), event.question());
            else run.send_to_child(std::move(reply), event.question());
        }
    };
}

namespace detail {
class TestLoop {  // a loop that a test drives
public:
    explicit TestLoop(const Setup&);
    Loop& loop() { return loop_; }
    /// Runs until the run can proceed no further. Throws the exceptions of listeners.
    void drive(core::RunCore&);
    bool over = false;  // no listener is called any more
    std::exception_ptr listener_error;

private:
    Duration at_most_;
    ManualClock own_clock_;
    asio::io_context io_{1};
    Clock& clock_;
    Loop loop_;
};
template <class R, class... Listener>
awaitable<void> listen(R run, const TestLoop& stage, Recorder& seen, Listener&... listeners) {
    while (auto event = co_await run.next_event()) {
        if (stage.over) co_return;
        seen.add(std::move(*event));
        const AnyEvent& last = seen[seen.size() - 1];
        (listeners(run, last), ...);
    }
}
}

/// Runs a workflow to its end. Calls each listener with (run, event) for each event of the stream; listeners may send
/// and cancel. Exceptions of listeners pass through.
template <class W, class... Listener> typename W::Stop run(const Bound<W>& workflow,
                                                           std::type_identity_t<typename W::Start> event,
                                                           const Setup& setup = {}, Listener... listeners) {
    Recorder unread;
    detail::TestLoop stage(setup);
    auto run = stage.loop().start(workflow, std::move(event), setup.run);
    auto work = detail::listen(run, stage, setup.recorder ? *setup.recorder : unread, listeners...);
    spawn(stage.loop().runtime(), std::move(work), [&](std::exception_ptr error) { stage.listener_error = error; });
    stage.drive(core::PrivateAccess::run_of(run));
    if (setup.left && run.ended()) *setup.left = run.slots();
    return run.outcome();
}
template <auto... Fn, class... Listener> auto run(const Workflow<Fn...>& w, typename Workflow<Fn...>::Start event,
                                                  const Setup& setup = {}, Listener... listeners) {
    return run(Bound<Workflow<Fn...>>(w), std::move(event), setup, std::move(listeners)...);
}
}
