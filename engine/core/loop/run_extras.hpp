// The members that few runs need: deadlines, retries, parents and children, observers, a queue.
#pragma once
#include "engine/core/loop/run_core.hpp"
#include "engine/core/loop/run_observation.hpp"
#include "engine/core/run_log.hpp"
#include "engine/core/wait/timers.hpp"
#include "engine/terminal.hpp"
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft::core {
class WallSleep;      // engine/core/sleep.hpp
struct WaitingStart;  // engine/core/loop/begin_again.hpp
/// The ids of an engine's live runs, as far as users have chosen them.
struct RunIds {
    std::mutex mutex;
    std::unordered_map<std::string, RunCore*> taken;
};

struct RunExtras : Linked<RunExtras>, Recycled {  // linked: among the parent's idle children
    struct DeadlineTimer : Timer {
        explicit DeadlineTimer(RunCore&);
        RunCore& run;
    };
    struct RetryTimer : Timer, Linked<RetryTimer>, Recycled {  // a token that waits for its next attempt
        RunCore* run = nullptr;
        Handle token = none;
    };
    struct Branch {  // work of a token that a quorum may cancel
        Attempt* attempt = nullptr;
        RetryTimer* retry = nullptr;
    };
    struct ChildQuestion {                  // a question of a child
        RunCore* run;                       // counted; null: the entry is free
        QuestionId question;                // id in the child
        QuestionId id;                      // id in this run
        Handle before = none, next = none;  // questions of the same child
    };
    explicit RunExtras(RunCore&);
    RunExtras(const RunExtras&) = delete;
    ~RunExtras();

    std::vector<std::string> busy_steps() const;
    QuestionId add_foreign(RunCore& child, QuestionId);
    Handle find_foreign(QuestionId) const;  // none if it is closed
    void forget(Handle foreign);            // after the answer
    void remove_timers(Timers&);            // the deadline, and all retries
    void leave_parent();                    // at the child's end: closes its questions
    void release_id();                      // frees it for another run
    void count_idle(bool idle);             // updates its parent's count of idle children
    Clock::Time first_began(Handle token, Clock::Time now) const;
    Branch& branch(Handle token) { return grown(branches, token); }

    // The members of nearly each run with extras come first, close together.
    RunCore& run;
    std::unique_ptr<RunObservation> watch;  // while it has observers
    std::unique_ptr<Track> track;           // for a stored run
    RunCore* parent = nullptr;              // counted; its stream gets this run's events
    RetryTimer* retries = nullptr;
    WallSleep* sleeps = nullptr;               // of attempts that wait for nothing else
    std::optional<RunProgressEvent> progress;  // the last reported progress, if RunOptions ask for it
    StepIndex parent_step = 0;                 // the step that runs it
    bool tell_idle = false;
    bool awaited = false;       // a step of the parent only waits for this run
    bool counted_idle = false;  // among the parent's idle children
    bool has_timeout = false;
    bool was_cancelled = false;           // while it undid its work for another reason
    bool admitted = false;                // counted as admitted; for the engine's Admission
    std::atomic<std::uint32_t> laps = 0;  // number of times the run has begun again here
    std::atomic<bool> held = false;       // a stored run that queues: it is in memory, and begins no step
    Handle asked_parent = none;           // list of this run's questions in the parent's `foreign`
    std::uint32_t idle_children_count = 0;
    RunExtras* idle_children = nullptr;  // awaited by steps
    DeadlineTimer deadline;
    Duration timeout{0};
    std::shared_ptr<const Sender> sender;  // of its events, once it has streamed one
    std::shared_ptr<RunIds> ids;           // while the id is taken there

    std::string id;                             // chosen by the user; empty: made from the number
    std::string values;                         // the run's RunOptions::values
    std::unique_ptr<const TraceContext> trace;  // from the run's caller
    std::exception_ptr error;                   // the reason of the run's failure
    unsigned attempts = 0;                      // of the failed step
    std::vector<std::string> active_steps;      // at the deadline
    std::string undo_error;                     // the reason why the undoing failed

    std::vector<std::function<void()>> start;  // while it queues: its start event, and later messages
    std::uint64_t ticket = 0;                  // in the queue; 0: not queued; for the engine's Admission

    using FirstAttempts = std::unordered_map<Handle, Clock::Time>;
    std::unique_ptr<FirstAttempts> began;  // first attempts of tokens that are retried
    std::vector<Branch> branches;          // by token
    std::unique_ptr<WaitingStart> waiting_start;
    using Keys = std::unordered_map<Handle, std::uint64_t>;
    Boxed<Keys> keys;  // by token: of invocations that may be retried

    using ForeignIds = std::unordered_map<QuestionId, Handle>;
    Records<ChildQuestion> foreign;
    Boxed<ForeignIds> foreign_ids;
    std::uint64_t foreign_asked = 0;
};
}
