// All deadlines, step timeouts and retries of a loop: one alarm, set to the earliest. set() and remove() take O(log n);
// a loop without timers has no alarm, so its context can end.
#pragma once
#include "engine/clock.hpp"
#include "engine/core/data/buffer.hpp"

namespace weft::core {
/// A member of the object that it wakes; remove it before that object is destroyed.
struct Timer {
    void (*ring)(Timer&);
    Clock::Time at{};
    std::uint32_t position = ~std::uint32_t{0};  // position in the heap
    bool is_set() const { return position != ~std::uint32_t{0}; }
};

class Timers {
public:
    explicit Timers(const Runtime& runtime) : runtime_(runtime) {}
    void set(Timer&, Clock::Time);  // must not be set
    void remove(Timer&);            // may be unset
    bool empty() const { return heap_.size() == 0; }

private:
    void ring();
    void wait();
    struct Entry {  // has the time itself: a comparison reads no timer
        Clock::Time at;
        Timer* timer;
    };
    void place(Entry, std::uint32_t);
    void rise(std::uint32_t);
    void sink(std::uint32_t);
    const Runtime& runtime_;
    Buffer<Entry> heap_;
    std::unique_ptr<Alarm> alarm_;
    Clock::Time set_to_{};
    bool armed_ = false, ringing_ = false;
};
}
