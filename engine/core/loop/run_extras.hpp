// What few runs need, apart from all the others: deadlines, retries, parents and children, observers, a queue.
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
/// The ids of the live runs of an engine, as far as users have given them.
struct RunIds {
    std::mutex mutex;
    std::unordered_map<std::string, RunCore*> taken;
    /// The store may have runs as this engine's which it does not have: it did not answer.
    std::atomic<bool> left_behind = false;
};

struct RunExtras : Recycled {
    struct Deadline : Timer {
        RunCore* run = nullptr;
    };
    struct Retry : Timer, Recycled {  // a token that waits for its next attempt
        RunCore* run = nullptr;
        Handle token = none;
        Retry *next = nullptr, **back = nullptr;
        void link(Retry*& list) {
            next = list;
            if (next) next->back = &next;
            back = &list;
            list = this;
        }
        void unlink() {
            *back = next;
            if (next) next->back = back;
        }
    };
    struct Branch {  // what goes on for a token, where a collector of the first n may cancel it
        Attempt* attempt = nullptr;
        Retry* retry = nullptr;
    };
    struct Foreign {                        // a question that a child has asked
        RunCore* run;                       // counted; null: the entry is free
        QuestionId question;                // there
        QuestionId id;                      // here
        Handle before = none, next = none;  // of the same child
    };
    explicit RunExtras(RunCore& r) : run(r) {}
    RunExtras(const RunExtras&) = delete;
    ~RunExtras();

    std::vector<std::string> busy_steps() const;
    QuestionId add_foreign(RunCore& child, QuestionId);
    Handle find_foreign(QuestionId) const;  // none if it is open no more
    void forget(Handle foreign);            // it was answered
    void leave_parent();                    // the child has come to its end: so have its questions
    void release_id();                      // another run may have it
    void count_idle(bool idle);             // among its parent's idle children
    Clock::Time first_began(Handle token, Clock::Time now) const;
    Branch& branch(Handle token) {
        if (token >= branches.size()) branches.resize(token + 1);
        return branches[token];
    }

    RunCore& run;
    std::string id;               // given by the user; empty: made from the number
    std::shared_ptr<RunIds> ids;  // as long as the id is taken there
    std::string values;           // of its own: RunOptions::values
    bool tell_idle = false;
    std::optional<RunProgressEvent> progress;   // what was told last, if it is to be told
    std::unique_ptr<RunObservation> watch;      // while somebody observes it
    std::unique_ptr<const TraceContext> trace;  // of its own
    std::exception_ptr error;                   // that ended the run
    unsigned attempts = 0;                      // of the step that failed

    std::vector<std::function<void()>> start;  // of a run that waits for its turn: its start event, and what was sent
    std::uint64_t ticket = 0;                  // in the queue, as long as it waits there; for the engine's Admission
    bool admitted = false;                     // it counts among the runs that go on; for the Admission, too
    std::atomic<bool> held = false;            // a stored run that waits for its turn: it is kept, and begins no step

    bool has_timeout = false;
    Duration timeout{0};
    Deadline deadline;
    std::vector<std::string> active_steps;  // when the deadline came

    using Began = std::unordered_map<Handle, Clock::Time>;
    std::unique_ptr<Began> began;  // first attempts of tokens that failed and are tried again
    Retry* retries = nullptr;
    std::vector<Branch> branches;  // by token

    RunCore* parent = nullptr;             // whose stream gets what this run publishes; counted
    StepIndex parent_step = 0;             // that runs it
    std::shared_ptr<const Sender> sender;  // of its events, once it has streamed any
    Records<Foreign> foreign;
    std::unordered_map<QuestionId, Handle> foreign_ids;
    std::uint64_t foreign_asked = 0;
    Handle asked_parent = none;          // what of this run is in the parent's `foreign`: a list
    bool awaited = false;                // a step of the parent does nothing but wait for this run
    bool counted_idle = false;           // among the parent's idle children
    RunExtras* idle_children = nullptr;  // that steps wait for
    std::uint32_t idle_children_count = 0;
    RunExtras *next_idle = nullptr, **back_idle = nullptr;

    std::unordered_map<Handle, std::uint64_t> keys;  // of invocations that may be attempted again, by token

    std::unique_ptr<Track> track;  // of a durable run in a store
};
}
