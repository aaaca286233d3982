// The data of a store's queues: claims, listings, heartbeats of workers, and the counts of a survey.
#pragma once
#include "engine/run_status.hpp"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::storage {
struct ClaimRequest {  // an empty list means all
    std::string owner;
    std::vector<std::string> ids, workflows, hashes, queues;  // hashes of declarations that the owner can execute
    std::vector<std::string> except;                          // ids of runs never to claim
    struct QueuePlace {                                       // position in the order of claims
        int priority = 0;                                     // a higher one comes first
        std::int64_t created_at = 0;                          // microseconds since 1970
        bool operator<(const QueuePlace& o) const {
            return priority == o.priority ? created_at < o.created_at : priority > o.priority;
        }
    };
    std::optional<QueuePlace> behind;  // only runs after this place: lower priority, or same priority and created later
    std::size_t most = 1000;           // maximum count
};
struct Filter {                                  // the runs of a listing; an empty list means all
    std::vector<std::string> ids, workflows;     // names of workflows
    std::vector<RunStatus> statuses;             // any of these
    std::string owner;                           // owner of running runs; empty: any or none
    std::optional<std::int64_t> updated_before;  // microseconds since 1970
    std::size_t most = 1000;                     // maximum count; the newest
};
struct Heartbeat {                   // the sign that an owner is alive
    std::string id;                  // the owner's
    std::int64_t lease_ms = 10'000;  // 0: return the lease, and make the owner's runs ready immediately
    std::string info;                // for survey(), at most most_worker_info bytes; empty: not listed
};
/// The owner of an engine's runs in a database of its store; 0: the first one. A further lease adds ".2" (core::Lease).
inline std::string owner_in_shard(const std::string& engine, std::size_t shard) {
    return shard == 0 ? engine : engine + '-' + std::to_string(shard);
}
inline std::string engine_of(std::string_view owner) { return std::string(owner.substr(0, owner.find_first_of("-."))); }
inline constexpr std::size_t most_worker_info = 64 << 10;  // bytes
struct HeartbeatReply {                                    // the answer to heartbeat()
    bool alive = true;                                     // false: the lease is lost, and with it all runs
    std::int64_t at = 0;  // time of the answer, by the store's clock, in microseconds since 1970; 0: unknown
    struct InboxCount {   // the mail of one run
        std::string run;
        std::uint64_t mail = 0;  // total number of mails ever sent
    };
    std::vector<InboxCount> inboxes;  // of this owner's runs with untaken mail
};
struct RunCount {                         // unfinished runs of one group
    std::string queue, workflow, hash;    // names of their queue and workflow; identifies their declaration
    RunStatus status = RunStatus::ready;  // ready, running or waiting
    std::uint64_t runs = 0;
    std::uint64_t taken_over = 0;  // runs whose owner died since their last tick
    /// The earliest time at which a ready run became ready, or another run was created, in microseconds since 1970.
    std::int64_t oldest = 0;
    std::uint64_t sleeping = 0;             // waiting runs with a RunRow::wake_at: a sleep, first time or deadline
    std::optional<std::int64_t> next_wake;  // the earliest of these times
};
/// A worker with a lease and a nonempty `info`. Times are the store's, in microseconds since 1970.
struct WorkerRow {
    std::string id,               // the owner's
        info;                     // of its last heartbeat
    std::int64_t started_at = 0,  // time of its first heartbeat
        lease_until = 0;          // end of the lease, unless another heartbeat comes
};
inline constexpr std::size_t most_run_counts = 10'000,  // maximum groups of a survey
    most_workers = 10'000;                              // maximum workers of a survey
/// The limits of a queue hold for all workers of a store together. They hold back claims: a run that a program executes
/// itself begins at once, and counts. A parked run does not count. Empty members limit nothing.
struct QueueLimits {
    std::string queue;
    std::optional<std::uint32_t> running;  // maximum of its runs that run at once; 0: the queue rests
    /// "value.NAME": a run's key is this member of its RunOptions::values. Claims serve the keys in turn, within one
    /// priority. Runs without the member have one key. Empty: no keys.
    std::string per;
    std::optional<std::uint32_t> running_per_key;  // maximum of its runs with the same key that run at once
    /// Maximum of its runs that begin in a period, evenly: what a second leaves is kept for the next second only.
    std::optional<std::uint32_t> starts;
    std::uint32_t seconds = 60;  // the period of `starts`: 1, 60 or 3600
    static constexpr std::string_view optional_fields[] = {"per", "seconds"}, undescribed_fields[] = {"queue"};
    bool operator==(const QueueLimits&) const = default;
};
inline bool limits_nothing(const QueueLimits& limits) {
    return !limits.running && !limits.starts && limits.per.empty();
}
struct QueueFlow {  // a limited queue
    QueueLimits limits;
    std::uint64_t running = 0, ready = 0;  // its runs
    std::uint64_t held_back = 0;           // ready runs that its limits keep from claims at this moment
    std::optional<double> starts_left;     // runs that QueueLimits::starts lets begin at this moment
};
inline constexpr std::size_t most_limited_queues = 1000;  // maximum of a store
struct Survey {                                           // all unfinished runs and all workers, counted
    std::int64_t at = 0;                                  // time of the survey, by the store's clock
    std::vector<RunCount> runs;                           // ordered by queue, workflow, hash, status
    std::vector<WorkerRow> workers;                       // ordered by id
    std::vector<QueueFlow> flows;                         // of the limited queues, ordered by name
};
}
