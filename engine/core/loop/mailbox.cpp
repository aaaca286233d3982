// The lock is held during each post to the context, so that the context outlives the post. Work runs without the lock.
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/loop.hpp"
#include <boost/asio/post.hpp>

namespace weft::core {
void Mailbox::knock() {  // under the lock: the context must exist until post() returns
    if (std::exchange(knocked_, true)) return;
    asio::post(executor_, [mailbox = MailboxRef(this)] { mailbox->work(); });
}
bool Mailbox::post(std::function<void()> work) {
    std::lock_guard lock(mutex_);
    if (!loop_) return false;
    posted_.push_back(std::move(work));
    knock();
    return true;
}
std::function<void()> Mailbox::take() {
    std::lock_guard lock(mutex_);
    if (posted_.empty()) return nullptr;
    auto work = std::move(posted_.front());
    posted_.pop_front();
    return work;
}
void Mailbox::work() {
    struct Rest {  // work that arrives meanwhile, or remains after an exception, gets its own turn
        Mailbox& mailbox;
        ~Rest() {
            std::lock_guard lock(mailbox.mutex_);
            mailbox.knocked_ = false;
            if (mailbox.loop_ && !mailbox.posted_.empty()) mailbox.knock();
        }
    } rest{*this};
    std::size_t n = 0;
    {
        std::lock_guard lock(mutex_);
        n = posted_.size();
    }
    for (; n > 0; --n)
        if (auto work = take()) work();
}
bool Mailbox::here() const {
    if (one_thread_) return loop_.load(std::memory_order_relaxed);
    std::lock_guard lock(mutex_);
    const LoopCore* loop = loop_;
    return loop && loop->here();
}
bool Mailbox::leads_to(const asio::any_io_executor& executor) const {
    std::lock_guard lock(mutex_);
    return loop_ && executor_ == executor;
}
void Mailbox::close() {
    for (;;) {
        while (auto work = take()) work();
        std::lock_guard lock(mutex_);
        if (!posted_.empty()) continue;
        loop_ = nullptr;
        executor_ = {};
        return;
    }
}
}
