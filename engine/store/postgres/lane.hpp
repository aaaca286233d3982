// One connection to PostgreSQL and its waiting calls, in order; several calls share a transaction.
//
//     lane.add(std::move(call));
//     while (lane.step(now)) {}                       // does all possible work, and answers
//     poll(..., lane.descriptor(), lane.events(), until lane.wakes_at(now));
//     lane.polled(revents);
//
// After a failed transaction the lane repeats each call alone, so that only the failing call gets the error. It opens a
// lost connection again after a random pause, whose maximum grows with each round of the hosts, so that many processes
// do not return at one moment; calls under way first read which part of them was stored. That transaction waits for the
// standbys even if it only reads: the server may show a commit that a failover would lose. Use it on one thread at a
// time.
#pragma once
#include "engine/error.hpp"
#include "engine/store/postgres/call.hpp"
#include "engine/store/postgres_store.hpp"
#include <deque>
#include <map>
#include <random>
#include <unordered_map>

namespace weft::storage {
class PostgresLane {
public:
    using Time = std::chrono::steady_clock::time_point;
    struct Rules {
        std::size_t most_at_once = 1;
        /// True if no call of the other lane must run first.
        std::function<bool(const PostgresCall&)> may_begin;
        std::function<void(const PostgresCall&)> answered;  // called before a call is answered
        StoreNotes tell;                                    // reports trouble and its end
        std::function<void()> lost = {};                    // called after the loss of a connection
        std::function<void(std::size_t)> reached = {};      // called with the attempt that has found a server
        std::function<PostgresCallPtr()> greets = {};       // the first call on a new connection; null: none
        std::function<void(std::string_view)> notified = {};
    };
    PostgresLane(const PostgresUrl& url, const PostgresOptions& options, Rules rules)
        : url_(url), options_(options), rules_(std::move(rules)) {}

    void adopt(std::unique_ptr<PostgresConnection>);  // a greeted connection
    void know(PostgresServerTraits server_traits) { server_traits_ = server_traits; }
    /// Call it when the other lane has lost its connection: the one of this lane may be lost, too, and nothing would
    /// tell so before the silence after its next call.
    void drop_unused();
    /// Call it when the other lane has found a server by this attempt: this lane needs no attempts at other hosts.
    void follow(std::size_t attempt);
    void add(PostgresCallPtr);
    bool step(Time now);
    /// Only sends, without answers. Returns whether there is no work until the server answers.
    bool send(Time now);
    void polled(short revents) { revents_ = short(revents_ | revents); }
    int descriptor() const { return connection_ ? connection_->descriptor() : -1; }
    short events() const { return connection_ ? connection_->events() : short(0); }
    /// The connection's number while there is no work until the server answers; else 0.
    std::uint64_t awaited_connection() const;
    std::uint64_t rounds() const { return rounds_; }  // number of sent rounds
    bool is_ready() const { return connection_ && stage_ == LaneStage::ready; }
    Time wakes_at(Time now) const;
    /// How many further calls justify waking the store's thread before wakes_at().
    std::size_t wake_threshold(Time now) const;

    bool is_empty() const { return group_.empty() && waiting_.empty(); }
    std::uint64_t oldest() const;  // number of its first call; the maximum if it has none
    /// Whether an earlier call of the same thread is in this lane, and changes something or names the same run.
    bool comes_before(const PostgresCall&) const;
    void refuse_all(const Error&);
    /// The reason why the lane cannot connect, if its calls have waited longer than the patience of the options;
    /// otherwise empty.
    std::string why_away_for_long(Time now) const;
    /// Call it while the other lane is away for long. Refuses urgent calls, and calls that have waited for the other
    /// lane longer than the patience of the options. Returns whether there were any.
    bool refuse_held(const std::string& why, Time now);

private:
    enum class LaneStage { connecting, greeting, ready };
    bool gather(Time now);
    bool drive(Time now);
    bool drive_ready(Time now);
    void ask_round(Time now);
    void take_round(Time now);
    void round_failed(const PostgresError&, Time now);
    void lose(const PostgresError&, Time now);
    bool expire(Time now);
    bool answer_done(Time now);
    void answer(PostgresCallPtr);
    Time after_jitter(Time now, unsigned retry);
    Time patience_ends() const;
    Time::duration longest_attempt() const;
    std::string away() const;
    Time waits_since() const;                              // begin of the first call's wait for a connection
    std::deque<PostgresCallPtr>::iterator first_urgent();  // position in waiting_

    const PostgresUrl& url_;
    const PostgresOptions& options_;
    const Rules rules_;
    std::unique_ptr<PostgresConnection> connection_;
    LaneStage stage_ = LaneStage::connecting;
    Time begun_{}, heard_{}, retry_at_{}, answered_{}, asked_{}, expire_at_{};
    Time::duration took_{};           // duration of the last round
    std::optional<Time> down_since_;  // begin of the time without a connection
    std::string why_down_;
    std::size_t attempts_ = 0, expected_ = 0;
    std::uint64_t rounds_ = 0;
    unsigned failures_ = 0;
    int former_ = 0;  // the server's process of a connection that was lost during a round; it may wait for standbys
    PostgresServerTraits server_traits_;
    bool is_asked_ = false, one_by_one_ = false, has_told_ = false;
    short revents_ = 0;  // reported by poll(), not yet handled

    std::deque<PostgresCallPtr> waiting_, group_;
    std::vector<std::pair<PostgresCall*, std::size_t>> round_;  // each call with the number of its statements
    std::unordered_map<std::string, std::size_t> about_;        // number of calls that name a run, by run
    std::map<std::thread::id, std::size_t> changes_;            // number of changing calls, by thread
    std::minstd_rand jitter_{std::random_device{}()};
};
}
