// One connection to PostgreSQL and the calls that wait for it, in their order: several at a time, as one transaction.
//
//     lane.add(std::move(call));
//     while (lane.step(now)) {}                       // does what can be done now, and answers
//     poll(..., lane.descriptor(), lane.events(), until lane.wakes_at(now));
//     lane.polled(revents);
//
// If a transaction fails, each of its calls is done by itself, and the one that was the cause has its error. A lost
// connection is made again after a pause, of any length up to one that grows from try to try, so that many processes do
// not come back at one moment; the calls that were under way find out first what of them was done. Of one thread at a
// time.
#pragma once
#include "engine/error.hpp"
#include "engine/store/postgres/call.hpp"
#include "engine/store/postgres_options.hpp"
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
        /// Whether nothing of another lane has to be done before.
        std::function<bool(const PostgresCall&)> may_begin;
        std::function<void(const PostgresCall&)> answered;  // called before a call is answered
        StoreNotes tell;                                    // people, of trouble and its end
        std::function<PostgresCallPtr()> greets = {};       // the first call on a new connection; null: none
        std::function<void(std::string_view)> notified = {};
    };
    PostgresLane(const PostgresUrl& url, const PostgresOptions& options, Rules rules)
        : url_(url), options_(options), rules_(std::move(rules)) {}

    void adopt(std::unique_ptr<PostgresConnection>);  // one that was greeted
    void know(PostgresManner manner) { manner_ = manner; }
    void add(PostgresCallPtr);
    bool step(Time now);
    /// The part of a step that only sends: it answers nobody. Whether there is nothing to do until the server answers.
    bool send(Time now);
    void polled(short revents) { revents_ = short(revents_ | revents); }
    int descriptor() const { return connection_ ? connection_->descriptor() : -1; }
    short events() const { return connection_ ? connection_->events() : short(0); }
    Time wakes_at(Time now) const;
    /// How many further calls are worth waking the store's thread for, until wakes_at().
    std::size_t wanted(Time now) const;

    bool is_empty() const { return group_.empty() && waiting_.empty(); }
    std::uint64_t oldest() const;  // number of its first call; the greatest there is if it has none
    /// Whether one of its calls, made before by the same thread, changes something or is about the same run.
    bool comes_before(const PostgresCall&) const;
    void refuse_all(const Error&);
    /// Why no connection can be made, if calls have waited for one longer than they should; else empty.
    std::string why_away_for_long(Time now) const;
    /// While the other lane is away for long: the urgent ones that wait, and those that have waited for it for longer
    /// than the patience of the options. Whether there are any.
    bool refuse_held(const std::string& why, Time now);

private:
    enum class Stage { connecting, greeting, ready };
    bool gather(Time now);
    void take_in(PostgresCallPtr);
    bool drive(Time now);
    bool drive_ready(Time now);
    void ask_round(Time now);
    void take_round(Time now);
    void round_failed(const PostgresError&, Time now);
    void lose(const PostgresError&, Time now);
    bool expire(Time now);
    bool answer_done(Time now);
    void answer(PostgresCallPtr);
    Time after_jitter(Time now, unsigned failures);
    Time patience_ends() const;
    std::string away() const;
    Time waits_since() const;                              // its first call, for a connection
    std::deque<PostgresCallPtr>::iterator first_urgent();  // of those that wait

    const PostgresUrl& url_;
    const PostgresOptions& options_;
    const Rules rules_;
    std::unique_ptr<PostgresConnection> connection_;
    Stage stage_ = Stage::connecting;
    Time begun_{}, heard_{}, retry_at_{}, answered_{}, asked_{}, expire_at_{};
    Time::duration took_{};           // the last round
    std::optional<Time> down_since_;  // the connection cannot be made
    std::string why_down_;
    std::size_t attempts_ = 0, expected_ = 0;
    unsigned failures_ = 0;
    PostgresManner manner_;
    bool is_asked_ = false, one_by_one_ = false, has_told_ = false;
    short revents_ = 0;  // of its descriptor, which nothing was done about yet

    std::deque<PostgresCallPtr> waiting_, group_;
    std::vector<std::pair<PostgresCall*, std::size_t>> round_;  // with the numbers of their statements
    std::unordered_map<std::string, std::size_t> about_;        // how many of its calls name a run
    std::map<std::thread::id, std::size_t> changes_;            // how many of a thread change something
    std::minstd_rand jitter_{std::random_device{}()};
};
}
