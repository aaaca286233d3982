// Random calls of a store, drawn from a seed. They share few names, so that they meet: repeated and late calls, mail
// for every state of a run, limits that change under runs.
//
//     RandomCalls calls(seed);
//     const auto call = calls.next(first);              // reads `first`, which has had all earlier calls
//     CHECK(call.ask(first) == call.ask(second));
#pragma once
#include "engine/describe.hpp"
#include "engine/store/model_flow.hpp"
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace weft::storage {
BOOST_DESCRIBE_STRUCT(StoredTick, (), (seq, body, sum))
BOOST_DESCRIBE_STRUCT(Snapshot, (), (upto, body, sum))
BOOST_DESCRIBE_STRUCT(StoredPlan, (), (hash, workflow, plan))
BOOST_DESCRIBE_STRUCT(NewRun, (),
                      (id, start_key, plan, options, forked_from, queue, priority, owner, not_before, debounce, longest,
                       ticks))
BOOST_DESCRIBE_STRUCT(CreateReply, (), (id, is_new))
BOOST_DESCRIBE_STRUCT(RunRelease, (), (status, wake_at, outcome, mail))
BOOST_DESCRIBE_STRUCT(Batch, (), (run, epoch, seq, ticks, mail, begins_again, snapshot, plan, waits_for, left))
BOOST_DESCRIBE_ENUM(AppendReply, stored, fenced, has_mail)
BOOST_DESCRIBE_STRUCT(Mail, (), (run, id, body, is_urgent, only_asks))
BOOST_DESCRIBE_STRUCT(SendReply, (), (status, is_new, is_known))
BOOST_DESCRIBE_STRUCT(RunRow, (),
                      (id, workflow, hash, queue, start_key, forked_from, owner, options, outcome, waits_for, status,
                       priority, epoch, next_seq, mail, takeovers, created_at, updated_at, wake_at))
BOOST_DESCRIBE_STRUCT(History, (), (run, snapshot, ticks, mail))
BOOST_DESCRIBE_STRUCT(LogEntry, (), (number, body))
BOOST_DESCRIBE_STRUCT(LogEntries, (), (run, epoch, entries))
BOOST_DESCRIBE_STRUCT(LogReply, (), (is_fenced, next))
BOOST_DESCRIBE_STRUCT(LogPart, (), (entries, next))
BOOST_DESCRIBE_STRUCT(ClaimRequest::QueuePlace, (), (priority, created_at))
BOOST_DESCRIBE_STRUCT(ClaimRequest, (), (owner, ids, workflows, hashes, queues, except, behind, most))
BOOST_DESCRIBE_STRUCT(Filter, (), (ids, workflows, statuses, owner, updated_before, most))
BOOST_DESCRIBE_STRUCT(Heartbeat, (), (id, lease_ms, info))
BOOST_DESCRIBE_STRUCT(HeartbeatReply::InboxCount, (), (run, mail))
BOOST_DESCRIBE_STRUCT(HeartbeatReply, (), (alive, at, inboxes))
BOOST_DESCRIBE_STRUCT(RunCount, (), (queue, workflow, hash, status, runs, taken_over, oldest, sleeping, next_wake))
BOOST_DESCRIBE_STRUCT(WorkerRow, (), (id, info, started_at, lease_until))
BOOST_DESCRIBE_STRUCT(QueueLimits, (), (running, per, running_per_key, starts, seconds))
BOOST_DESCRIBE_STRUCT(QueueFlow, (), (limits, running, ready, held_back, starts_left))
BOOST_DESCRIBE_STRUCT(Survey, (), (at, runs, workers, flows))
BOOST_DESCRIBE_STRUCT(QuotaRequest::WaitingKey, (), (key, tokens))
BOOST_DESCRIBE_STRUCT(QuotaRequest, (), (model, owner, waiting, requests_back, tokens_back))
BOOST_DESCRIBE_STRUCT(QuotaReply, (), (limit, granted, wait_us))
}

namespace stores {
struct RandomCall {
    std::string what;                              // the call as text
    std::function<std::string(weft::Store&)> ask;  // returns the answer, or the error, as text
};
class RandomCalls {
public:
    explicit RandomCalls(std::uint64_t seed) : random_(seed) {}
    /// The call depends on what the store contains now. `now`: the store's time, in microseconds since 1970.
    RandomCall next(weft::Store& known, std::int64_t now);
    std::uint64_t below(std::uint64_t n) { return random_() % n; }

private:
    bool happens(unsigned percent) { return below(100) < percent; }
    std::string one_of(const std::string& prefix, std::uint64_t n) { return prefix + std::to_string(below(n)); }
    std::string run() { return one_of("r", 8); }
    std::vector<std::string> some(const std::string& prefix, std::uint64_t n);
    std::int64_t time_near(std::int64_t now) { return now + std::int64_t(below(12)) * 500'000 - 2'000'000; }
    std::string tick_body();
    weft::storage::StoredPlan plan();
    weft::storage::NewRun new_run(std::int64_t now);
    RandomCall create(std::int64_t now);
    RandomCall create_all(std::int64_t now);
    weft::storage::Batch batch(weft::Store& known, std::int64_t now);
    RandomCall append(weft::Store& known, std::int64_t now);
    RandomCall write_log(weft::Store& known);
    RandomCall read();
    RandomCall send();
    RandomCall claim(weft::Store& known);
    RandomCall list(std::int64_t now);
    RandomCall prune(std::int64_t now);
    RandomCall set_limits();
    RandomCall ask_model();

    std::mt19937_64 random_;
    std::vector<weft::storage::NewRun> created_;  // the last ones, which repeated calls create again
    std::vector<weft::storage::Batch> stored_;    // the last ones, which repeated calls store again
    std::uint64_t texts_ = 0;
};
}
