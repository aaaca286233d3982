// Executes the runs that wait in a store. A worker claims what it has free slots and the declaration for, the highest
// priority and then the oldest first, and lets go of a run that ends, or that waits for mail or a time.
//
//     Worker worker({.slots = 50, .queues = {"default"}});                   // outlives the engine
//     catalog::Setup setup(options, note);
//     setup.work(10s, [&] { return worker.tell(); });                        // its engine has a lease, and parks
//     worker.offer(catalog_offers(setup, {}));
//     worker.work(setup.engine(), *setup.store());                           // until stop(), from any thread
//     setup.engine().leave_all(8s);
//     worker.settle();
//
// Of several declarations of a workflow it takes runs of its own one. Those of another one it carries over, as recovery
// does, once no living worker has that. A run that cannot go on here is free again and left alone for a while; tell()
// says why, and `weft queue` lists it. What a store says of a run is checked by who resumes it (Offer::resume).
#pragma once
#include "engine/error.hpp"
#include "engine/observer.hpp"
#include "engine/store.hpp"
#include "workflows/catalog/worker_info.hpp"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace weft {
class Engine;
struct RunOptions;
}
namespace weft::worker {
/// A workflow that a worker has.
struct Offer {
    std::string workflow, hash;
    /// Goes on with a run that was claimed, by these options. Gives what has to be there until it has left memory.
    /// Throws Error for one that it cannot go on with.
    std::function<std::shared_ptr<void>(const storage::RunRow&, const RunOptions&)> resume;
};
struct WorkerOptions {
    std::size_t slots = 50;                                          // runs in memory at once
    std::vector<std::string> queues;                                 // empty: all
    std::chrono::milliseconds rest{250};                             // between two claims that found nothing
    std::chrono::milliseconds forgiving = std::chrono::minutes(10);  // then a refused run is tried again
    std::function<void(std::string_view)> note;                      // what goes wrong
    std::function<void()> each_round;                                // by the thread that works
};
class Worker final : public Observer {
public:
    explicit Worker(WorkerOptions);
    ~Worker() override;
    /// Before it works.
    void offer(std::vector<Offer>);
    /// Claims runs for the slots that are free. Gives how many. Throws what the store throws.
    std::size_t fill(Engine&, Store&);
    /// Fills its slots again and again, until stop(). Blocks.
    void work(Engine&, Store&);
    void stop();
    /// Lets go of what ended runs have needed. fill() does it, too; once more before that goes.
    void settle();
    std::size_t used() const;
    catalog::WorkerInfo info() const;
    std::string tell() const { return write_worker_info(info()); }

private:
    using Time = std::chrono::steady_clock::time_point;
    struct Going {
        std::string workflow;
        std::uint64_t next_seq = 0;   // when it was claimed
        std::shared_ptr<void> needs;  // null until resume has returned
        bool resumed = false;         // it is where it was
        std::string error;            // that it failed with; empty: it did not
        Code code = Code::step_failed;
        bool parked = false, gone = false;
    };
    struct Refused {
        std::string id;
        catalog::RefusedRun run;  // as it is told
        Time until;
    };
    void event_streamed(const Run&, const AnyEvent&) noexcept override;
    void run_ended(const Run&, Cause) noexcept override;
    void run_parked(const Run&) noexcept override;
    void let_go(const Run&, bool parked) noexcept;
    bool take(const storage::RunRow&);
    std::size_t claim(Engine&, storage::Claim);
    void settle(const std::string& run, const Going&);
    void refuse(const std::string& run, const std::string& workflow, const std::string& why);
    std::vector<std::string> orphaned_hashes(Store&) const;
    storage::Claim claim_of(std::vector<std::string> hashes) const;
    const WorkerOptions options_;
    std::vector<Offer> offers_;
    std::string process_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Going> going_;  // by run
    std::deque<Refused> refused_;         // the latest last
    struct Strikes {
        unsigned count = 0;
        std::uint64_t next_seq = 0;  // of the run, when the last of them began
    };
    std::map<std::string, Strikes> strikes_;
    Time next_survey_{};
    bool stops_ = false, is_hinted_ = false;
};
}
