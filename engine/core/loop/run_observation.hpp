// The data of an observed run: its observers, the numbers of its invocations, and its busy workers.
#pragma once
#include "engine/clock.hpp"
#include "engine/core/loop/run_core.hpp"
#include "engine/observer.hpp"
#include "engine/trace_context.hpp"
#include <string>
#include <vector>

namespace weft::core {
class RunObservation {
public:
    struct Invocation {
        std::uint64_t number = 0;
        std::uint32_t worker = 0;
    };
    RunObservation(const RunCore& run, Observer* of_run, Observer* of_engine);
    /// A child has its parent's observers. The token belongs to the step that started the child.
    void inherit(const RunObservation& parent, Handle token);
    void set_id(std::string id) { id_ = std::move(id); }

    template <class Function> void tell(Function function) const {
        for (auto* o : observers_) function(*o);
    }
    Observer::RunInfo run() const;
    void begin(StepIndex, Handle token);
    void end(const StepCall&, Invocation, const std::exception_ptr& error);
    void retried(const StepCall&, Invocation, const std::exception_ptr& error, std::chrono::nanoseconds wait) const;
    void sleeps(StepIndex, Handle token, WallTime until) const;
    void streamed(Published*) const;  // the caller remains the owner
    void gone(bool has_ended) const;  // reports the end or the parking of the run
    void asked(TypeIndex question, QuestionId) const;
    void answered(TypeIndex response, QuestionId) const;  // call it before the reducer
    Invocation last;                                      // the newest one
    /// Begins an operation of a running step. The caller has filled in all members but the numbers.
    void begin(Observer::OperationInfo&, Handle token);
    void end(Observer::OperationInfo&);
    bool wants_content() const;

private:
    struct RunningOperation {
        std::uint64_t operation;
        Handle token;
    };
    void add(Observer*);
    Observer::StepInfo describe(StepIndex, Handle token, Invocation) const;
    Invocation invocation_of(Handle token) const;
    std::uint64_t innermost_of(Handle token) const;
    const RunCore& run_;
    std::vector<Observer*> observers_;
    std::string id_, parent_;
    std::uint64_t parent_step_ = 0, parent_operation_ = 0;
    const TraceContext* trace_;
    std::uint64_t invocations_ = 0, operations_ = 0;
    std::vector<std::vector<bool>> busy_;  // by step: its workers
    std::vector<RunningOperation> going_;  // operations, in the order of their begins
};
}
