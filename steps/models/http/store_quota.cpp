// One of the waiting calls of a model, the leader, sleeps until the next question and asks it. The store's answer wakes
// the granted calls and the leader. A leader that leaves makes the next call the leader.
#include "steps/models/http/store_quota.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/error.hpp"
#include "engine/signal.hpp"
#include "engine/store/model_flow.hpp"
#include "engine/store/rules.hpp"
#include "engine/store_reply.hpp"
#include "engine/text/hex.hpp"
#include "engine/timeout.hpp"
#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

namespace weft::models {
namespace {
using namespace std::chrono_literals;
constexpr Duration looks_after = 5s, pause_after_failure = 1s;
constexpr int most_failures = 60;  // in a row; the database of the limits may be away while that of the run is not
constexpr std::size_t most_key_bytes = 200;
constexpr double usual_reply_tokens = 500;

struct QuotaWaiter {
    Signal signal;
    std::string key;
    std::int64_t tokens = 0;
    bool leads = false, is_done = false, is_free = false;
    std::exception_ptr error;
};
using QuotaWaiterPtr = std::shared_ptr<QuotaWaiter>;
using AskedCalls = std::vector<std::vector<QuotaWaiterPtr>>;  // by key

std::string key_of_call(const QuotaCall& call, const std::string& per) {
    const auto dot = per.find('.');
    if (dot == per.npos || !call.value_of) return {};
    auto key = call.value_of(per.substr(dot + 1));
    if (key.empty() || (key.size() <= most_key_bytes && storage::can_be_run_id(key))) return key;
    return '#' + hex(storage::chained_sum(0, 0, key));
}
}

class StoreQuota::QuotaExchange : public std::enable_shared_from_this<QuotaExchange> {
public:
    explicit QuotaExchange(Store& store) : store_(store) {}
    bool may_limit(const std::string& model, Clock::Time now) {
        const std::lock_guard lock(mutex_);
        const auto own = models_.find(model);
        return must_look(now) || (own != models_.end() && own->second.limit);
    }
    awaitable<void> look(Clock::Time now) {
        {
            const std::lock_guard lock(mutex_);
            if (!must_look(now)) co_return;
            if (looked_at_) looked_at_ = now;  // other calls use the known limits meanwhile; the first ones all look
        }
        std::optional<std::vector<storage::ModelFlow>> limits;
        try {
            auto asking = store_reply<std::vector<storage::ModelFlow>>(
                [this](auto then) { store_.model_limits(std::move(then)); });
            limits = co_await std::move(asking);
        } catch (const Error&) {}  // the next look may succeed
        const std::lock_guard lock(mutex_);
        looked_at_ = now;
        if (!limits) co_return;
        for (auto& [name, model] : models_) model.limit.reset();
        for (auto& limit : *limits) models_[limit.model].limit = limit;
    }
    QuotaWaiterPtr add(const QuotaCall& call, QuotaPermit& permit) {
        std::optional<storage::ModelLimit> limit;
        {
            const std::lock_guard lock(mutex_);
            limit = models_[call.model].limit;
        }
        if (!limit) return nullptr;
        auto waiter = std::make_shared<QuotaWaiter>();
        waiter->key = key_of_call(call, limit->per);
        const std::lock_guard lock(mutex_);
        auto& model = models_[call.model];
        const auto reply = std::int64_t(model.reply_tokens);
        waiter->tokens = call.prompt_tokens + std::min(reply, call.reply_tokens.value_or(reply));
        permit = {call.model, call.prompt_tokens, waiter->tokens};
        waiter->leads = model.waiting.empty();
        if (waiter->leads) model.wait = Duration::zero();
        model.waiting.push_back(waiter);
        return waiter;
    }
    struct NextAct {
        bool is_done = false, asks = false;
        Duration wait{0}, expected{0};
        std::string limit;
    };
    NextAct next_act(const std::string& name, const QuotaWaiter& call) {
        const std::lock_guard lock(mutex_);
        const auto& model = models_[name];
        NextAct act{.is_done = call.is_done, .asks = call.leads && !model.is_asking, .wait = model.wait, .limit = {}};
        if (act.is_done || !model.limit || model.wait == Duration::zero()) return act;
        act.limit = storage::rates_in_words(*model.limit);
        act.expected = model.wait;
        if (model.limit->requests)
            act.expected = std::max<Duration>(act.wait, 1min * std::int64_t(model.waiting.size()) /
                                                            std::int64_t(*model.limit->requests));
        return act;
    }
    void ask(const std::string& name) {
        storage::QuotaRequest request{.model = name, .owner = owner_, .waiting = {}};
        AskedCalls asked;
        {
            const std::lock_guard lock(mutex_);
            auto& model = models_[name];
            if (is_closed_ || model.is_asking) return;
            model.is_asking = true;
            model.owes = false;
            request.requests_back = std::exchange(model.requests_back, 0);
            request.tokens_back = std::exchange(model.tokens_back, 0);
            std::map<std::string, std::size_t> places;
            for (auto& call : model.waiting) {
                const auto [place, is_new] = places.try_emplace(call->key, asked.size());
                if (is_new && asked.size() == storage::most_waiting_keys) {
                    places.erase(place);
                    continue;
                }
                if (is_new) {
                    request.waiting.push_back({call->key, {}});
                    asked.emplace_back();
                }
                if (asked[place->second].size() == storage::most_waiting_calls) continue;
                asked[place->second].push_back(call);
                request.waiting[place->second].tokens.push_back(call->tokens);
            }
        }
        store_.take_quota(std::move(request), [self = shared_from_this(), name, asked = std::move(asked)](
                                                  std::exception_ptr error, const storage::QuotaReply& reply) {
            self->take(name, asked, error, reply);
        });
    }
    /// Ends the wait of a call that was not granted, or gives back what it was granted.
    void withdraw(const std::string& name, const QuotaWaiterPtr& call) {
        QuotaWaiterPtr leader;
        {
            const std::lock_guard lock(mutex_);
            auto& model = models_[name];
            if (call->is_done) give_back(model, *call);
            std::erase(model.waiting, call);
            model.owes = true;
            if (call->leads) leader = new_leader(model);
        }
        if (leader) leader->signal.ring();
        ask_if_it_owes(name);
    }
    void leave(const QuotaPermit& permit, std::optional<std::int64_t> tokens) {
        {
            const std::lock_guard lock(mutex_);
            auto& model = models_[permit.model];
            if (tokens) {
                const auto reply = double(std::max<std::int64_t>(0, *tokens - permit.prompt_tokens));
                if (*tokens > 0) model.reply_tokens += (reply - model.reply_tokens) / 8;
            } else ++model.requests_back;
            model.tokens_back += permit.tokens - tokens.value_or(0);
            const bool counts_tokens = model.limit && model.limit->tokens && model.tokens_back != 0;
            model.owes = model.owes || model.requests_back != 0 || counts_tokens;
        }
        ask_if_it_owes(permit.model);
    }
    void close() {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
    }

private:
    struct SharedModel {
        std::optional<storage::ModelLimit> limit;
        std::deque<QuotaWaiterPtr> waiting;
        bool is_asking = false;
        bool owes = false;  // a question is due even if no call waits
        Duration wait{0};   // before the next question
        std::int64_t requests_back = 0, tokens_back = 0;
        double reply_tokens = usual_reply_tokens;  // moving average
        int failures = 0;                          // in a row
    };
    bool must_look(Clock::Time now) const {
        return !looked_at_ || now < *looked_at_ || now - *looked_at_ >= looks_after;
    }
    static void give_back(SharedModel& model, const QuotaWaiter& call) {
        if (call.is_free) return;
        ++model.requests_back;
        model.tokens_back += call.tokens;
        model.owes = true;
    }
    static QuotaWaiterPtr new_leader(SharedModel& model) {
        if (model.waiting.empty()) return nullptr;
        model.waiting.front()->leads = true;
        return model.waiting.front();
    }
    void ask_if_it_owes(const std::string& name) {
        {
            const std::lock_guard lock(mutex_);
            const auto& model = models_[name];
            if (!model.owes || model.is_asking || !model.waiting.empty()) return;
        }
        ask(name);
    }
    void take(const std::string& name, const AskedCalls& asked, const std::exception_ptr& error,
              const storage::QuotaReply& reply) {
        std::vector<QuotaWaiterPtr> woken;
        const auto finish = [&](SharedModel& model, const QuotaWaiterPtr& call) {
            call->is_done = true;
            const auto place = std::ranges::find(model.waiting, call);
            if (place == model.waiting.end()) return give_back(model, *call);  // it has withdrawn
            model.waiting.erase(place);
            woken.push_back(call);
        };
        {
            const std::lock_guard lock(mutex_);
            auto& model = models_[name];
            model.is_asking = false;
            model.failures = error ? model.failures + 1 : 0;
            if (!error) model.limit = reply.limit;
            const bool ends_all = !error && !reply.limit, fails_all = model.failures >= most_failures;
            for (std::size_t i = 0; !error && i < asked.size() && i < reply.granted.size(); ++i)
                for (std::size_t n = 0; n < std::min<std::size_t>(reply.granted[i], asked[i].size()); ++n)
                    finish(model, asked[i][n]);
            bool has_refused = false;
            for (std::size_t i = 0; i < asked.size() && i < reply.granted.size(); ++i)
                has_refused = has_refused || reply.granted[i] < asked[i].size();
            model.wait = error         ? pause_after_failure
                         : has_refused ? Duration(std::chrono::microseconds(reply.wait_us))
                                       : Duration::zero();
            if (ends_all || fails_all)
                for (const auto all = model.waiting; auto& call : all) {
                    call->is_free = true;
                    if (fails_all) call->error = error;
                    finish(model, call);
                }
            const auto leads = [](const QuotaWaiterPtr& call) { return call->leads; };
            const auto leader = std::ranges::find_if(model.waiting, leads);
            if (auto next = leader == model.waiting.end() ? new_leader(model) : *leader) woken.push_back(next);
        }
        for (auto& call : woken) call->signal.ring();
        ask_if_it_owes(name);
    }

    Store& store_;
    const std::string owner_ = hex(core::draw_seed());
    std::mutex mutex_;
    std::map<std::string, SharedModel> models_;
    std::optional<Clock::Time> looked_at_;
    bool is_closed_ = false;
};
/// A call's place among the waiting ones, also when it is cancelled.
class StoreQuota::PlaceInQueue {
public:
    PlaceInQueue(std::shared_ptr<QuotaExchange> core, std::string model, QuotaWaiterPtr call)
        : exchange_(std::move(core)), model_(std::move(model)), call_(std::move(call)) {}
    PlaceInQueue(const PlaceInQueue&) = delete;
    ~PlaceInQueue() {
        if (call_) exchange_->withdraw(model_, call_);
    }
    void leave() { call_.reset(); }

private:
    std::shared_ptr<QuotaExchange> exchange_;
    std::string model_;
    QuotaWaiterPtr call_;
};

StoreQuota::StoreQuota(Store& store) : exchange_(std::make_shared<QuotaExchange>(store)) {}
StoreQuota::~StoreQuota() { close(); }
void StoreQuota::close() { exchange_->close(); }
bool StoreQuota::may_limit(const std::string& model, Clock::Time now) { return exchange_->may_limit(model, now); }
void StoreQuota::leave(const QuotaPermit& permit, std::optional<std::int64_t> tokens) {
    if (!permit.model.empty()) exchange_->leave(permit, tokens);
}
awaitable<QuotaPermit> StoreQuota::enter(QuotaCall call) {
    const auto core = exchange_;
    auto& clock = co_await this_clock();
    auto looking = core->look(clock.now());
    co_await std::move(looking);
    QuotaPermit permit;
    const auto waiter = core->add(call, permit);
    if (!waiter) co_return permit;
    PlaceInQueue place(core, call.model, waiter);
    for (bool is_told = false;;) {
        const auto act = core->next_act(call.model, *waiter);
        if (act.is_done) break;
        if (!is_told && !act.limit.empty() && call.on_wait) call.on_wait(act.limit, act.expected);
        is_told = is_told || !act.limit.empty();
        if (act.asks && act.wait > Duration::zero()) co_await sleep_for(act.wait);
        if (act.asks) core->ask(call.model);
        auto rung = waiter->signal.wait();
        co_await std::move(rung);
    }
    place.leave();
    if (waiter->error) std::rethrow_exception(waiter->error);
    if (waiter->is_free) permit = {};
    co_return permit;
}
}
