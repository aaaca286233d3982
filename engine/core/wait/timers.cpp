// A binary heap whose timers know their positions, so that any timer can be removed.
#include "engine/core/wait/timers.hpp"

namespace weft::core {
namespace {
constexpr std::uint32_t nowhere = ~std::uint32_t{0};
}

void Timers::place(Entry e, std::uint32_t i) {
    heap_[i] = e;
    e.timer->position = i;
}
void Timers::rise(std::uint32_t i) {
    const Entry e = heap_[i];
    for (std::uint32_t up; i > 0 && e.at < heap_[up = (i - 1) / 2].at; i = up) place(heap_[up], i);
    place(e, i);
}
void Timers::sink(std::uint32_t i) {
    const Entry e = heap_[i];
    for (std::uint32_t down; (down = 2 * i + 1) < heap_.size(); i = down) {
        if (down + 1 < heap_.size() && heap_[down + 1].at < heap_[down].at) ++down;
        if (!(heap_[down].at < e.at)) break;
        place(heap_[down], i);
    }
    place(e, i);
}
void Timers::set(Timer& t, Clock::Time at) {
    t.at = at;
    heap_.push_back({at, &t});
    rise(heap_.size() - 1);
    if (!ringing_) wait();
}
void Timers::remove(Timer& t) {
    const auto i = t.position;
    if (i == nowhere) return;
    t.position = nowhere;
    const Entry last = heap_[heap_.size() - 1];
    heap_.pop_back();
    if (last.timer != &t) {
        place(last, i);
        rise(i);
        sink(last.timer->position);
    }
    if (!ringing_) wait();
}
void Timers::wait() {
    if (heap_.size() == 0) {
        if (std::exchange(armed_, false)) alarm_->clear();
        return;
    }
    if (armed_ && set_to_ == heap_[0].at) return;
    if (!alarm_) alarm_ = runtime_.clock->make_alarm(runtime_.executor, [this] { ring(); });
    set_to_ = heap_[0].at;
    armed_ = true;
    alarm_->set(set_to_);
}
void Timers::ring() {
    armed_ = false;
    ringing_ = true;
    for (const auto now = runtime_.clock->now(); heap_.size() && heap_[0].at <= now;) {
        Timer& t = *heap_[0].timer;
        remove(t);
        t.ring(t);
    }
    ringing_ = false;
    wait();
}
}
