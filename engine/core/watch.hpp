// What a run keeps while somebody observes it: who, the numbers of its invocations, and which workers are busy.
#pragma once
#include "engine/core/run_core.hpp"
#include "engine/observer.hpp"
#include <string>
#include <vector>

namespace weft::core {
class Watch {
public:
    struct Invocation {
        std::uint64_t number = 0;
        std::uint32_t worker = 0;
    };
    Watch(const RunCore& run, Observer* of_run, Observer* of_engine);
    /// A child is heard by who hears its parent.
    void inherit(const Watch& parent);

    template <class Function> void tell(Function function) const {
        for (auto* o : observers_) function(*o);
    }
    Observer::Run run() const;
    Invocation begin(StepIndex, Handle token);
    void end(const Call&, Invocation, const std::exception_ptr& error);
    void retried(const Call&, Invocation, const std::exception_ptr& error, std::chrono::nanoseconds wait) const;
    void streamed(Published*) const;  // whose owner the caller stays
    void ended() const;               // with its last event
    void asked(TypeIndex question, QuestionId) const;
    void answered(TypeIndex response, QuestionId) const;  // before the reducer is told
    Invocation last;                                      // that has begun

private:
    Observer::Step describe(StepIndex, Handle token, Invocation) const;
    const RunCore& run_;
    std::vector<Observer*> observers_;
    std::string id_, parent_;
    std::uint64_t invocations_ = 0;
    std::vector<std::vector<bool>> busy_;  // workers, by step
};
}
