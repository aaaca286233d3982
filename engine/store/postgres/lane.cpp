// A lane answers a group from its front, because calls for one run are answered in order. It sends a group sorted by
// run, so that two processes seldom wait for each other's locks.
#include "engine/store/postgres/lane.hpp"
#include "engine/error.hpp"
#include "engine/retry.hpp"
#include "engine/store/postgres/schema.hpp"
#include "engine/terminal.hpp"
#include <algorithm>
#include <limits>
#include <poll.h>
#include <unordered_set>

namespace weft::storage {
using namespace std::chrono_literals;
namespace {
constexpr std::size_t most_group_bytes = 16u << 20, most_in_a_burst = 8;
constexpr unsigned most_tries = 4;
constexpr auto told_after = 2s;  // wait before an unreachable server is reported; a restart may be shorter
constexpr auto longest_patience_for_more = 1ms;
constexpr Wait pause = exponential(50ms, 2s);
constexpr auto never = PostgresLane::Time::max();

std::exception_ptr error_of_call(const std::string& name, const PostgresCall& call, const PostgresError& e) {
    const auto whose = call.run.empty() ? std::string() : " for run " + call.run;
    return std::make_exception_ptr(
        Error(e.is_of_the_values() ? Code::usage : Code::journal,
              "the store '" + name + "' refused a call" + whose + ": " + e.what() + " (" + e.state() + ")"));
}
}
void PostgresLane::adopt(std::unique_ptr<PostgresConnection> connection) {
    connection_ = std::move(connection);
    stage_ = LaneStage::ready;
}
void PostgresLane::drop_unused() {
    if (!is_ready() || is_asked_) return;
    connection_->shut_down();
    connection_.reset();
}
void PostgresLane::follow(std::size_t attempt) {
    const auto hosts = url_.hosts();
    if (connection_ && (is_ready() || (attempts_ - 1) % hosts == attempt % hosts)) return;
    connection_.reset();
    attempts_ = attempt;
    retry_at_ = {};
}
void PostgresLane::add(PostgresCallPtr call) {
    if (!call->run.empty()) ++about_[call->run];
    if (call->changes) ++changes_[call->thread];
    waiting_.push_back(std::move(call));
}
std::uint64_t PostgresLane::oldest() const {
    auto first = std::numeric_limits<std::uint64_t>::max();
    for (auto* calls : {&group_, &waiting_})
        if (!calls->empty()) first = std::min(first, calls->front()->number);
    return first;
}
bool PostgresLane::comes_before(const PostgresCall& call) const {
    if (!about_.contains(call.run) && !changes_.contains(call.thread)) return false;
    const auto is_before = [&](const PostgresCallPtr& own) {
        return own->number < call.number && own->thread == call.thread && (own->changes || own->run == call.run);
    };
    return std::any_of(group_.begin(), group_.end(), is_before) ||
           std::any_of(waiting_.begin(), waiting_.end(), is_before);
}
PostgresLane::Time PostgresLane::after_jitter(Time now, unsigned retry) {
    return now + pause.before_retry(retry, std::generate_canonical<double, 32>(jitter_));
}
PostgresLane::Time PostgresLane::patience_ends() const {
    return answered_ + std::min<Time::duration>(took_ / 2, longest_patience_for_more);
}
std::size_t PostgresLane::wake_threshold(Time now) const {
    if (!group_.empty()) return std::numeric_limits<std::size_t>::max();
    const bool waits_for_more = !waiting_.empty() && waiting_.size() < expected_ && now < patience_ends();
    return waits_for_more ? std::min(expected_ - waiting_.size(), most_in_a_burst) : 1;
}
std::uint64_t PostgresLane::awaited_connection() const {
    return is_asked_ && is_ready() && !connection_->has_to_write() ? connection_->number() : 0;
}
/// The hosts share the time: after a failover one of them is silent, and another one takes the calls.
PostgresLane::Time::duration PostgresLane::longest_attempt() const {
    return std::chrono::milliseconds(options_.connect_ms) / std::int64_t(url_.hosts());
}
PostgresLane::Time PostgresLane::wakes_at(Time now) const {
    auto first = never;
    if (connection_ && stage_ != LaneStage::ready) first = begun_ + longest_attempt();
    else if (is_asked_) first = heard_ + std::chrono::milliseconds(options_.silence_ms);
    else if (!group_.empty()) first = retry_at_;
    else if (waiting_.size() < expected_ && !waiting_.empty() && now < patience_ends()) first = patience_ends();
    return down_since_ && !is_empty() ? std::min(first, expire_at_) : first;
}

bool PostgresLane::step(Time now) {
    bool has_moved = expire(now);
    has_moved |= gather(now);
    try {
        if (!connection_ && !group_.empty() && now >= retry_at_) {
            stage_ = LaneStage::connecting;
            begun_ = now;
            const auto before = std::chrono::steady_clock::now();
            connection_ = std::make_unique<PostgresConnection>(url_, attempts_++, server_traits_);
            begun_ += std::chrono::steady_clock::now() - before;  // the look-up of the name blocks
            revents_ = 0;
            has_moved = true;
        }
        if (connection_) has_moved |= drive(now);
    } catch (const PostgresError& e) {
        lose(e, now);
        has_moved = true;
    } catch (const Error& e) {  // the first queries found tables of a newer weft
        connection_.reset();
        refuse_all(e);
        has_moved = true;
    }
    return answer_done(now) || has_moved;
}
bool PostgresLane::send(Time now) {
    if (connection_ && stage_ == LaneStage::ready && !is_asked_ && now >= retry_at_ && gather(now)) try {
            ask_round(now);
        } catch (const PostgresError& e) { lose(e, now); }
    return is_empty() || (is_asked_ && !connection_->has_to_write());
}
std::deque<PostgresCallPtr>::iterator PostgresLane::first_urgent() {
    return std::find_if(waiting_.begin(), waiting_.end(), [](auto& call) { return call->is_urgent; });
}
// A call that waits for the other lane delays the later calls of its thread only.
bool PostgresLane::gather(Time now) {
    if (!group_.empty()) {
        const bool is_free = rules_.most_at_once == 1 && !is_asked_ && !group_.front()->is_urgent;
        const auto urgent = first_urgent();
        if (!is_free || urgent == waiting_.end()) return false;
        group_.push_front(std::move(*urgent));
        waiting_.erase(urgent);
        return true;
    }
    if (waiting_.empty() || (waiting_.size() < expected_ && now < patience_ends())) return false;
    std::unordered_set<std::thread::id> held;
    std::deque<PostgresCallPtr> rest;
    std::size_t bytes = 0;
    if (const auto urgent = first_urgent(); urgent != waiting_.end()) std::rotate(waiting_.begin(), urgent, urgent + 1);
    while (!waiting_.empty() && group_.size() < rules_.most_at_once && bytes < most_group_bytes) {
        auto call = std::move(waiting_.front());
        waiting_.pop_front();
        if (!call->is_urgent && (held.contains(call->thread) || !rules_.may_begin(*call))) {
            held.insert(call->thread);
            rest.push_back(std::move(call));
            continue;
        }
        bytes += call->bytes;
        group_.push_back(std::move(call));
    }
    waiting_.insert(waiting_.begin(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    one_by_one_ = false;
    return !group_.empty();
}
bool PostgresLane::drive(Time now) {
    const bool came = connection_->go_on(std::exchange(revents_, short(0)));
    if (came) heard_ = now;
    if (rules_.notified)
        for (auto& hint : connection_->take_notified()) rules_.notified(hint);
    if (stage_ == LaneStage::ready) return drive_ready(now) || came;
    if (now - begun_ > longest_attempt()) throw PostgresError("08001", "the server does not answer");
    if (stage_ == LaneStage::connecting && connection_->is_open()) {
        send_greeting(*connection_);
        stage_ = LaneStage::greeting;
        return true;
    }
    if (stage_ != LaneStage::greeting || !connection_->is_answered()) return came;
    take_greeting(*connection_, connection_->take().at(0), url_.name(), std::int64_t(postgres_migrations().size()));
    stage_ = LaneStage::ready;
    if (rules_.reached) rules_.reached(attempts_ - 1);
    if (auto call = rules_.greets ? rules_.greets() : nullptr) add(std::move(call));
    return true;
}
bool PostgresLane::drive_ready(Time now) {
    if (is_asked_ && connection_->is_answered()) {
        take_round(now);
        return true;
    }
    if (is_asked_ && now - heard_ > std::chrono::milliseconds(options_.silence_ms))
        throw PostgresError("08006", "the server does not answer");
    if (is_asked_ || group_.empty() || group_.front()->is_done || now < retry_at_) return false;
    ask_round(now);
    return true;
}
void PostgresLane::ask_round(Time now) {
    round_.clear();
    std::vector<PostgresCall*> calls;
    for (auto& call : group_)
        if (!call->is_done && (calls.empty() || !(one_by_one_ || rules_.most_at_once == 1)))
            calls.push_back(call.get());
    std::stable_sort(calls.begin(), calls.end(), [](const PostgresCall* a, const PostgresCall* b) {
        if (a->makes_rows && b->makes_rows) return a->burst < b->burst;
        if (a->makes_rows || b->makes_rows) return a->makes_rows;
        return a->run < b->run;
    });
    for (auto* call : calls) {
        const auto before = connection_->sent();
        try {
            call->ask(*connection_);
        } catch (const Error&) {
            call->error = std::current_exception();
            call->is_done = true;
        }
        if (!call->is_done) round_.emplace_back(call, connection_->sent() - before);
    }
    if (round_.empty()) return;
    if (former_) connection_->end_wait(std::exchange(former_, 0));
    if (std::ranges::any_of(round_, [](auto& asked) { return asked.first->confirms; })) connection_->confirm();
    connection_->sync();
    is_asked_ = true;
    ++rounds_;
    asked_ = heard_ = now;
    connection_->go_on(0);
}
void PostgresLane::take_round(Time now) {
    is_asked_ = false;
    std::vector<PostgresRows> rows;
    try {
        rows = connection_->take();
    } catch (const PostgresError& e) {
        if (e.is_lost()) throw;
        return round_failed(e, now);
    }
    took_ = now - asked_;
    failures_ = 0;
    down_since_.reset();
    if (std::exchange(has_told_, false)) rules_.tell({"the store '" + url_.name() + "' answers again"});
    std::size_t at = 0;
    for (auto& [call, count] : round_) at += count;
    if (at != rows.size()) throw PostgresError("08P01", "the server's answers do not match the statements");
    at = 0;
    for (auto [call, count] : round_) {
        try {
            call->is_done = call->take(std::span(rows).subspan(at, count));
        } catch (const Error&) {
            call->error = std::current_exception();
            call->is_done = true;
        }
        at += count;
    }
    round_.clear();
}
void PostgresLane::round_failed(const PostgresError& e, Time now) {
    if (e.is_of_preparing() && server_traits_.prepares) {
        server_traits_.prepares = false;
        throw PostgresError("08006", e.what());  // the next connection prepares nothing
    }
    auto& first = *round_.front().first;
    const bool was_alone = round_.size() == 1;
    round_.clear();
    if (!was_alone) {
        one_by_one_ = true;
    } else if (e.is_transient() && ++first.failures < most_tries) {
        retry_at_ = after_jitter(now, first.failures + 1);
    } else {
        first.error = error_of_call(url_.name(), first, e);
        if (first.is_patient) has_told_ = true, rules_.tell({sentence_of(first.error), true});
        first.is_done = true;
    }
}
void PostgresLane::lose(const PostgresError& e, Time now) {
    if (connection_) connection_->shut_down();
    if (connection_ && is_asked_ && !connection_->is_pooled()) former_ = connection_->backend();
    const bool was_used = is_ready();
    connection_.reset();
    if (was_used && rules_.lost) rules_.lost();
    is_asked_ = false;
    for (auto& [call, count] : round_) {
        call->confirms |= call->changes;
        call->was_lost();
    }
    round_.clear();
    why_down_ = e.what();
    if (!down_since_) {
        down_since_ = now;
        expire_at_ = now;
    }
    // One pause for each round of the hosts: an attempt at the next host begins at once.
    const auto hosts = unsigned(url_.hosts());
    retry_at_ = failures_ % hosts == 0 ? after_jitter(now, failures_ / hosts + 1) : now;
    ++failures_;
    if (e.is_of_options() && !url_.has_options()) server_traits_.sends_options = false;  // a pooler is new
}
std::string PostgresLane::away() const { return "the store '" + url_.name() + "' cannot be reached: " + why_down_; }
PostgresLane::Time PostgresLane::waits_since() const {
    return std::max((group_.empty() ? waiting_ : group_).front()->since, *down_since_);
}
std::string PostgresLane::why_away_for_long(Time now) const {
    const bool is_long = down_since_ && !is_empty() &&
                         now - waits_since() > std::chrono::milliseconds(options_.patience_ms);
    return is_long ? away() : std::string();
}
bool PostgresLane::refuse_held(const std::string& why, Time now) {
    bool any = false;
    const auto first_held = [&] {
        return std::find_if(waiting_.begin(), waiting_.end(), [&](auto& call) {
            const bool is_over = now - call->since > std::chrono::milliseconds(options_.patience_ms);
            return call->is_urgent || (is_over && !rules_.may_begin(*call));
        });
    };
    for (auto held = first_held(); held != waiting_.end(); held = first_held()) {
        auto call = std::move(*held);
        waiting_.erase(held);
        call->error = std::make_exception_ptr(Error(Code::journal, why));
        any = true;
        answer(std::move(call));
    }
    return any;
}
bool PostgresLane::expire(Time now) {
    if (!down_since_ || is_empty() || now < expire_at_) return false;
    expire_at_ = now + 100ms;
    if (!has_told_ && now - waits_since() > told_after) {
        has_told_ = true;
        rules_.tell({away(), true});
    }
    bool any = false;
    const auto is_over = [&](const PostgresCall& call) {
        if (call.is_done || call.is_patient || call.is_hint) return call.is_hint && !call.is_done;
        return now - std::max(call.since, *down_since_) > std::chrono::milliseconds(options_.patience_ms);
    };
    const auto give_up = [&](PostgresCall& call) {
        call.error = std::make_exception_ptr(Error(Code::journal, away()));
        call.is_done = any = true;
    };
    if (!is_asked_)
        for (auto& call : group_)
            if (is_over(*call)) give_up(*call);
    for (std::size_t i = 0; i < waiting_.size();) {
        if (!is_over(*waiting_[i])) {
            ++i;
            continue;
        }
        auto call = std::move(waiting_[i]);
        waiting_.erase(waiting_.begin() + long(i));
        give_up(*call);
        answer(std::move(call));
    }
    return any;
}
bool PostgresLane::answer_done(Time now) {
    std::size_t count = 0;
    for (; !is_asked_ && !group_.empty() && group_.front()->is_done; ++count) {
        auto call = std::move(group_.front());
        group_.pop_front();
        answer(std::move(call));
    }
    if (count > 0) {
        expected_ = rules_.most_at_once > 1 ? count : 0;
        answered_ = now;
    }
    return count > 0;
}
void PostgresLane::answer(PostgresCallPtr call) {
    if (!call->run.empty())
        if (auto i = about_.find(call->run); --i->second == 0) about_.erase(i);
    if (call->changes)
        if (auto i = changes_.find(call->thread); --i->second == 0) changes_.erase(i);
    rules_.answered(*call);
    call->answer();
}
void PostgresLane::refuse_all(const Error& why) {
    is_asked_ = false;
    round_.clear();
    for (auto* calls : {&group_, &waiting_})
        while (!calls->empty()) {
            auto call = std::move(calls->front());
            calls->pop_front();
            if (!call->is_done) call->error = std::make_exception_ptr(why);
            answer(std::move(call));
        }
}
}
