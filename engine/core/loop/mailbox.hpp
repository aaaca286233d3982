// The way from other threads to a loop, also during the loop's destruction. Runs and other objects that refer to a loop
// across threads share its mailbox.
//
//     if (!run.mailbox->post(work)) ...      // the loop was destroyed, and its runs have ended
//
// The loop executes posted work in order. A loop that is being destroyed executes the rest after its runs have ended,
// before it closes the mailbox, so every caller gets an answer.
#pragma once
#include "engine/core/data/counted.hpp"
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace weft::core {
class LoopCore;

class alignas(64) Mailbox {  // each run counts as an owner: no loop shares the line of another one's count
public:
    /// `one_thread`: only one thread uses the loop and its runs, so here() needs no lock.
    Mailbox(LoopCore& loop, boost::asio::any_io_executor executor, bool one_thread)
        : loop_(&loop), executor_(std::move(executor)), one_thread_(one_thread) {}
    Mailbox(const Mailbox&) = delete;
    void hold() { owners_.add(); }
    void drop() {
        if (owners_.remove()) delete this;
    }

    /// Callable from any thread. False if the loop was destroyed.
    bool post(std::function<void()> work);
    /// Whether the calling thread may access the loop's runs; false once the loop was destroyed.
    bool here() const;
    bool one_thread() const { return one_thread_; }
    /// Whether the loop exists and has this executor.
    bool leads_to(const boost::asio::any_io_executor&) const;
    /// For the loop's own thread: null if the loop was destroyed.
    LoopCore* loop() const { return loop_.load(std::memory_order_relaxed); }
    /// Called by the loop's destructor: executes the posted work, then refuses further work.
    void close();
    /// Also protects the streams of complete runs, because any thread may read them.
    std::mutex& mutex() const { return mutex_; }

private:
    ~Mailbox() = default;
    void work();
    void knock();
    std::function<void()> take();
    mutable std::mutex mutex_;
    std::atomic<LoopCore*> loop_;
    boost::asio::any_io_executor executor_;  // used only under the lock: valid while the loop exists
    std::deque<std::function<void()>> posted_;
    const bool one_thread_;
    bool knocked_ = false;  // a turn for posted work is scheduled
    OwnerCount owners_;
};

using MailboxRef = CountedRef<Mailbox>;
}
