// How other threads reach a loop, also while it goes. Runs and whatever refers to a loop from elsewhere share its
// mailbox.
//
//     if (!run.mailbox->post(work)) ...      // the loop has gone, so nothing of its runs is going on any more
//
// What comes through the mailbox is done on the loop, in the order in which it came. A loop that goes does the rest of
// it itself, after its runs have ended and before it closes the mailbox: nobody waits for an answer that never comes.
#pragma once
#include "engine/core/data/counted.hpp"
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

namespace weft::core {
class Loop;

class Mailbox {
public:
    /// `one_thread`: the loop and its runs are used by one thread only, which then locks nothing to ask where it is.
    Mailbox(Loop& loop, boost::asio::any_io_executor executor, bool one_thread)
        : loop_(&loop), executor_(std::move(executor)), one_thread_(one_thread) {}
    Mailbox(const Mailbox&) = delete;
    void hold() { owners_.add(); }
    void drop() {
        if (owners_.remove()) delete this;
    }

    /// From any thread. False if the loop has gone.
    bool post(std::function<void()> work);
    /// Whether the calling thread may touch the loop's runs; no if the loop has gone.
    bool here() const;
    bool one_thread() const { return one_thread_; }
    /// Whether the loop is there, and on this executor.
    bool leads_to(const boost::asio::any_io_executor&) const;
    /// Of the loop's own thread: null if it has gone.
    Loop* loop() const { return loop_.load(std::memory_order_relaxed); }
    /// By the loop when it goes: does what has come, then nothing comes any more.
    void close();
    /// The streams of runs that are complete are read under this lock, as they may be by any thread.
    std::mutex& mutex() const { return mutex_; }

private:
    ~Mailbox() = default;
    void work();
    void knock();
    std::function<void()> take();
    mutable std::mutex mutex_;
    std::atomic<Loop*> loop_;
    boost::asio::any_io_executor executor_;  // used under the lock: it is good for as long as the loop is there
    std::deque<std::function<void()>> posted_;
    const bool one_thread_;
    bool knocked_ = false;  // the loop is going to look
    Owners owners_;
};

/// Shares a mailbox.
class MailboxRef {
public:
    explicit MailboxRef(Mailbox* mailbox, bool is_new = false) : mailbox_(mailbox) {
        if (!is_new) mailbox_->hold();
    }
    MailboxRef(const MailboxRef& o) : MailboxRef(o.mailbox_) {}
    MailboxRef(MailboxRef&& o) noexcept : mailbox_(std::exchange(o.mailbox_, nullptr)) {}
    MailboxRef& operator=(const MailboxRef&) = delete;
    ~MailboxRef() {
        if (mailbox_) mailbox_->drop();
    }
    Mailbox* operator->() const { return mailbox_; }
    Mailbox& operator*() const { return *mailbox_; }

private:
    Mailbox* mailbox_;
};
}
