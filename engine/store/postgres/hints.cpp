// The channel's name contains no store's name: channels belong to a database, and so does the schema. A store also gets
// its own notifications, because another engine in the same process may own the run.
#include "engine/store/postgres/hints.hpp"

namespace weft::storage {
using namespace std::chrono_literals;
namespace {
constexpr auto between_notifications = 10ms;                  // a server takes some thousands in a second
constexpr std::size_t longest_hint = 500, most_noted = 1000;  // the payload limit of PostgreSQL is 8000 bytes
constexpr PostgresStatement notify_all{"weft_notify", "select pg_notify('weft', o) from unnest($1::text[]) o"};
constexpr PostgresStatement listen_to_all{nullptr, "listen weft"};

class NotifyCall final : public PostgresCall {
public:
    NotifyCall(std::vector<std::string> owners, bool& is_sending)
        : owners_(std::move(owners)), is_sending_(is_sending) {
        is_urgent = is_hint = true;
    }
    void ask(PostgresConnection& connection) override { connection.send(notify_all, PostgresValues(owners_)); }
    bool take(std::span<PostgresRows>) override { return true; }
    void answer() override { is_sending_ = false; }

private:
    std::vector<std::string> owners_;
    bool& is_sending_;
};
class ListenCall final : public PostgresCall {
public:
    ListenCall() { is_urgent = is_hint = true; }
    void ask(PostgresConnection& connection) override {
        if (!connection.is_pooled()) connection.send(listen_to_all, PostgresValues());
    }
    bool take(std::span<PostgresRows>) override { return true; }
    void answer() override {}
};
}
void PostgresHints::note(const std::string& owner) {
    if (owner.size() <= longest_hint && noted_.size() < most_noted) noted_.insert(owner);
}
PostgresCallPtr PostgresHints::due(Time now, bool is_last) {
    if (noted_.empty() || is_sending_ || (now < next_ && !is_last)) return nullptr;
    std::vector<std::string> owners(noted_.begin(), noted_.end());
    noted_.clear();
    is_sending_ = true;
    next_ = now + between_notifications;
    return std::make_unique<NotifyCall>(std::move(owners), is_sending_);
}
PostgresHints::Time PostgresHints::due_at() const { return noted_.empty() || is_sending_ ? Time::max() : next_; }

std::shared_ptr<void> PostgresHints::add(Store::Hint act) {
    unsigned number = 0;
    {
        std::lock_guard lock(listeners_->mutex);
        number = listeners_->next++;
        listeners_->all.emplace(number, std::move(act));
    }
    wanted_ = true;
    return {listeners_.get(), [listeners = listeners_, number](void*) {
                std::lock_guard lock(listeners->mutex);
                listeners->all.erase(number);
            }};
}
void PostgresHints::give(std::string_view owner) const {
    std::lock_guard lock(listeners_->mutex);
    for (auto& [number, act] : listeners_->all) act(owner);
}
PostgresCallPtr postgres_listen() { return std::make_unique<ListenCall>(); }
}
