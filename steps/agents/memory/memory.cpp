// One conversation behind a lock. read returns copies of whole exchanges; append adds a run once.
#include "steps/agents/memory/memory.hpp"
#include <algorithm>

namespace weft::agents {
std::vector<models::Message> ConversationMemory::read(std::string_view) {
    const std::lock_guard lock(mutex_);
    std::vector<models::Message> messages;
    messages.reserve(2 * entries_.size());
    for (const auto& entry : entries_) {
        messages.push_back(models::user(entry.exchange.question));
        messages.push_back(models::assistant(entry.exchange.answer));
    }
    return messages;
}
void ConversationMemory::append(const std::string& run, Exchange exchange) {
    const std::lock_guard lock(mutex_);
    const auto same = [&run](const Entry& entry) { return entry.run == run; };
    if (!run.empty() && std::any_of(entries_.begin(), entries_.end(), same)) return;
    entries_.push_back({run, std::move(exchange)});
    bytes_ += entries_.back().bytes();
    while (entries_.size() > 1 && (entries_.size() > max_exchanges_ || bytes_ > max_bytes_)) {
        bytes_ -= entries_.front().bytes();
        entries_.pop_front();
    }
}
std::size_t ConversationMemory::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}
Memory& no_memory() {
    static struct EmptyMemory final : Memory {
        std::vector<models::Message> read(std::string_view) override { return {}; }
        void append(const std::string&, Exchange) override {}
    } none;
    return none;
}
}
