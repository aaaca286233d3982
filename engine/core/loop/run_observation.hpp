// What a run keeps while somebody observes it: who, the numbers of its invocations, and which workers are busy.
#pragma once
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
    /// A child is heard by who hears its parent. The token is that of the step which has started it.
    void inherit(const RunObservation& parent, Handle token);
    void set_id(std::string id) { id_ = std::move(id); }
    void set_trace(const TraceContext* trace) { trace_ = trace; }  // outlives it

    template <class Function> void tell(Function function) const {
        for (auto* o : observers_) function(*o);
    }
    Observer::Run run() const;
    Invocation begin(StepIndex, Handle token);
    void end(const StepCall&, Invocation, const std::exception_ptr& error);
    void retried(const StepCall&, Invocation, const std::exception_ptr& error, std::chrono::nanoseconds wait) const;
    void streamed(Published*) const;  // whose owner the caller stays
    void gone(bool has_ended) const;  // with its last event
    void asked(TypeIndex question, QuestionId) const;
    void answered(TypeIndex response, QuestionId) const;  // before the reducer is told
    Invocation last;                                      // that has begun
    /// Of a step that goes on. What it is to have besides its numbers, it has already.
    void begin(Observer::Operation&, Handle token);
    void end(Observer::Operation&);
    bool wants_content() const;

private:
    struct Going {
        std::uint64_t operation;
        Handle token;
    };
    Observer::Step describe(StepIndex, Handle token, Invocation) const;
    Invocation invocation_of(Handle token) const;
    std::uint64_t innermost_of(Handle token) const;
    const RunCore& run_;
    std::vector<Observer*> observers_;
    std::string id_, parent_;
    std::uint64_t parent_step_ = 0, parent_operation_ = 0;
    const TraceContext* trace_ = nullptr;
    std::uint64_t invocations_ = 0, operations_ = 0;
    std::vector<std::vector<bool>> busy_;  // workers, by step
    std::vector<Going> going_;             // operations, in the order in which they began
};
}
