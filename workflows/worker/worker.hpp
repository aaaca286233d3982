// Executes the runs that wait in a store. A worker claims runs of its own declarations for its free slots, by priority,
// then age. A slot becomes free when its run ends, or waits for mail or a time.
//
//     Worker worker({.slots = 50, .queues = {"default"}});                   // outlives the engine
//     catalog::ProcessOptions leased{.lease = 10s, .tells = [&] { return worker.tell(); }};   // tells: it parks
//     const catalog::ProcessResources process(options, note, std::move(leased));
//     worker.offer(catalog_offers(process, {}));                             // or worker.offer(engine, stored)
//     worker.work(process.engine(), *process.store());                       // until any thread calls stop()
//     process.engine().leave_all(8s);
//     worker.finish();
//
// It carries over runs of another declaration of a workflow, as Engine::recover does, once no living worker has that
// declaration. It releases a run that it cannot continue, and does not claim it again for some time
// (WorkerOptions::forgiving); tell() has the reason, for `weft queue`. The contents of a store are untrusted:
// Offer::resume has to check them.
#pragma once
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "engine/observer.hpp"
#include "engine/store.hpp"
#include "workflows/catalog/stored/worker_info.hpp"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace weft::worker {
/// Whether T is the result of durable(workflow), whose runs a store keeps.
template <class T> inline constexpr bool is_durable = false;
template <class W> inline constexpr bool is_durable<Durable<W>> = true;
/// A workflow whose runs a worker can execute.
struct WorkflowOffer {
    std::string workflow,  // the workflow's name
        hash;              // of its declaration: the worker claims runs with this hash
    /// Resumes a claimed run with these options. Returns an object that the worker keeps until the run has left memory,
    /// or null. Throws Error for a run that it cannot continue. The worker's thread calls it.
    std::function<std::shared_ptr<void>(const storage::RunRow&, const RunOptions&)> resume;
};
using Offer [[deprecated("its name is WorkflowOffer")]] = WorkflowOffer;
struct WorkerOptions {
    std::size_t slots = 50;                                                    // runs in memory at once
    std::vector<std::string> queues = {};                                      // empty: all
    std::chrono::milliseconds rest{250};                                       // pause after a claim that found nothing
    std::chrono::milliseconds retry_refused_after = std::chrono::minutes(10);  // pause before it retries a refused run
    /// The time without a living worker of a declaration after which its runs are carried over: after a failure of the
    /// database, some workers return a few seconds before the others.
    std::chrono::milliseconds orphaned_for = std::chrono::seconds(5);
    std::function<void(std::string_view)> note = {};  // receives each problem, on the worker's thread
    std::function<void()> each_round = {};            // called after each claim, on that thread
    /// Whether another part of the process executes a claimed run, which the worker then frees. Called on that thread.
    std::function<bool(const storage::RunRow&)> leaves = {};
};
/// offer(), fill(), work() and finish() are for one thread, the other functions for any.
class Worker final : public Observer {
public:
    explicit Worker(WorkerOptions);
    ~Worker() override;
    /// Adds workflows to those whose runs the worker claims. Call it before the first claim.
    void offer(std::vector<WorkflowOffer>);
    /// Adds a durable workflow of the program, whose runs execute in an engine that outlives the worker's thread.
    template <class Stored> void offer(Engine& engine, const Stored& stored) {
        static_assert(is_durable<Stored>, "a worker executes stored runs: offer it durable(workflow)");
        const auto resume = [&engine, stored](const storage::RunRow& row, const RunOptions& how) {
            (void)engine.resume(stored, row.id, how);  // the run continues without a handle
            return std::shared_ptr<void>();
        };
        offer({{std::string(stored.definition->name), stored.definition->durable->hash, resume}});
    }
    /// Claims runs for the free slots. Returns their number. Throws the store's errors.
    std::size_t fill(Engine&, Store&);
    /// Blocks and fills the free slots until stop(). Errors of the store go to `note`.
    void work(Engine&, Store&);
    void stop();
    /// Destroys the objects (WorkflowOffer::resume) of runs that have left memory, as fill() does. Call it once more at
    /// the end, before the destruction of anything these objects use.
    void finish();
    /// The former name of finish().
    [[deprecated("its name is finish")]] void settle() { finish(); }
    std::size_t used() const;          // slots with a run
    catalog::WorkerInfo info() const;  // slots, queues, workflows, and the latest refused runs
    std::string tell() const { return write_worker_info(info()); }

private:
    using Time = std::chrono::steady_clock::time_point;
    struct ClaimedRun {
        std::string workflow;
        storage::ClaimRequest::QueuePlace place;
        std::uint64_t next_seq = 0;   // at the claim
        std::shared_ptr<void> needs;  // null until resume has returned
        std::string error;            // message of its failure; empty: no failure
        Code code = Code::step_failed;
        bool gone = false, ended = false;
    };
    /// Runs of one declaration in one queue, which are claimed together.
    struct Kind {
        std::string queue, workflow, hash;
        auto operator<=>(const Kind&) const = default;
    };
    struct RefusedClaim {
        std::string id;
        catalog::RefusedRun run;  // form: tell()
        Time until;
    };
    void event_streamed(const RunInfo&, const AnyEvent&) noexcept override;
    void run_ended(const RunInfo&, RunStatus) noexcept override;
    void run_parked(const RunInfo&) noexcept override;
    void let_go(const RunInfo&, bool ended) noexcept;
    bool take(const storage::RunRow&);
    std::size_t claim(Engine&, storage::ClaimRequest);
    void finish(const std::string& run, const ClaimedRun&);
    void refuse(const std::string& run, const std::string& workflow, storage::ClaimRequest::QueuePlace,
                const std::string& why);
    void note(const std::string& sentence) const;
    std::vector<storage::Survey> surveys_of(Store&);
    std::set<Kind> orphaned_kinds(const storage::Survey&) const;
    std::size_t carry_over(Engine&, const std::set<Kind>& orphaned);
    storage::ClaimRequest claim_of(std::vector<std::string> hashes) const;
    const WorkerOptions options_;
    std::vector<WorkflowOffer> offers_;
    std::string process_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, ClaimedRun> going_;  // by run
    std::set<std::string> leaving_;            // runs that were free again, but still in memory
    std::set<std::string> left_;               // to another part of the process; a claim soon after leaves them out
    std::deque<RefusedClaim> refused_;         // the latest last
    std::optional<storage::ClaimRequest::QueuePlace>
        behind_;  // the last run that did not fit in refused_; claims begin there
    Time forget_behind_{};
    struct FailureCount {
        unsigned count = 0;
        std::uint64_t next_seq = 0;  // the run's, at the start of its last attempt
    };
    std::map<std::string, FailureCount> failures_;
    std::string last_why_;  // the last refused run's reason, and its consecutive count
    std::size_t told_ = 0;
    Time next_survey_{};
    std::vector<std::future<storage::Survey>> pending_;  // surveys of several databases, without an answer yet
    std::map<Kind, Time> orphaned_since_;
    bool stops_ = false, is_hinted_ = false;
    std::size_t most_at_once_;    // maximum runs of one claim
    bool may_have_more_ = false;  // the last claim got all requested runs
};
}
