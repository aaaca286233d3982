// Each reader has its own signal, so that a newer reader can end an older one's wait.
#include "workflows/mcp/outbox.hpp"
#include <algorithm>

namespace weft::mcp_server {
void Outbox::put(std::string message) {
    if (closed_) return;
    bytes_ += message.size();
    unread_ += message.size();
    kept_.push_back(std::move(message));
    if (signal_) signal_->ring();
}
void Outbox::finish(std::string answer, unsigned status) {
    if (closed_) return;
    status_ = status;
    put(std::move(answer));
    finished_ = true;
    close();
}
void Outbox::close() {
    closed_ = true;
    if (signal_) signal_->ring();
}
bool Outbox::replaced(const OutboxReader& reader) const { return signal_ && *signal_ != reader.signal; }
void Outbox::forget() {
    while (!kept_.empty() && first_ < read_ && bytes_ > keep_) {
        bytes_ -= kept_.front().size();
        kept_.pop_front();
        ++first_;
    }
}
void Outbox::listen(const OutboxReader& reader) {
    if (signal_ && *signal_ != reader.signal) signal_->ring();
    signal_ = reader.signal;
}
awaitable<std::vector<std::string>> Outbox::take(OutboxReader& reader) {
    listen(reader);
    std::vector<std::string> taken;
    if (reader.next == first_ + kept_.size() && !closed_) co_await reader.signal.wait();
    if (replaced(reader)) co_return taken;
    reader.next = std::max(reader.next, first_);  // earlier messages are no longer kept
    for (; reader.next < first_ + kept_.size(); ++reader.next) {
        const auto& message = kept_[reader.next - first_];
        if (reader.next >= read_) unread_ -= message.size();
        taken.push_back(message);
    }
    read_ = std::max(read_, reader.next);
    forget();
    co_return taken;
}
}
