// A wait that an alarm ends: until a time of the monotonic clock (engine/timeout.hpp) or of the wall clock
// (engine/core/sleep.hpp).
#pragma once
#include "engine/core/wait/scope.hpp"
#include <memory>

namespace weft::core {
class AlarmedWait : public ScopedWait {
public:
    using ScopedWait::ScopedWait;
    void await_resume();
    void cancel_wait() override;

protected:
    ~AlarmedWait();
    bool begin(std::coroutine_handle<>);  // false: the scope allows no wait; else set the alarm
    virtual void ring() { go_on(); }
    void go_on();  // ends the wait
    std::unique_ptr<Alarm> alarm_;
    bool aborted_ = false;
};
}
