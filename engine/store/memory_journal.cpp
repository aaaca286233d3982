// It can hold acknowledgements back, which is how tests see that nothing is acted upon before it is stored.
#include "engine/store/memory_journal.hpp"
#include "engine/error.hpp"

namespace weft {
void MemoryJournal::append(const Record& record, Stored stored) {
    std::unique_lock lock(mutex_);
    if (fail_in_ >= 0 && fail_in_-- == 0) throw std::runtime_error("the journal was told to fail");
    const auto id = record.run.id();
    auto [i, is_new] = runs_.try_emplace(id);
    Run& run = i->second;
    if (is_new) {
        order_.push_back(id);
        run.definition = record.run.definition;
        run.plan = &run.definition->plan;
    }
    if (record.number != run.ticks.size())
        throw Error(Code::journal, "run " + id + ": a tick is missing before this one");
    const core::Tick& tick = record.tick;
    Entry entry{.kind = tick.kind,
                .fan_out = tick.fan_out,
                .retry = tick.retry,
                .cause = tick.cause,
                .token = tick.token,
                .question = tick.question,
                .events = {tick.events.begin(), tick.events.end()},
                .event_names = {},
                .slots = {}};
    for (auto& e : entry.events) entry.event_names.emplace_back(run.definition->events[e.type].name);
    for (auto* n = record.edits ? record.edits->first() : nullptr; n; n = n->next)
        entry.slots.emplace_back(n->type->name);
    run.ticks.push_back(std::move(entry));
    if (holding_) held_.push_back(std::move(stored));
    else {
        lock.unlock();
        stored();
    }
}
std::vector<MemoryJournal::Entry> MemoryJournal::ticks(const std::string& run) const {
    std::lock_guard lock(mutex_);
    auto i = runs_.find(run);
    return i == runs_.end() ? std::vector<Entry>() : i->second.ticks;
}
std::vector<std::string> MemoryJournal::runs() const {
    std::lock_guard lock(mutex_);
    return order_;
}
core::State MemoryJournal::fold(const std::string& id) const {
    std::lock_guard lock(mutex_);
    auto i = runs_.find(id);
    if (i == runs_.end()) throw Error(Code::journal, "the journal has no run " + id);
    core::State state(*i->second.plan);
    core::Commands ignored;
    for (auto& e : i->second.ticks) {
        core::reduce(*i->second.plan, state, {e.kind, e.fan_out, e.retry, e.cause, e.token, e.events, e.question},
                     ignored);
        ignored.clear();
    }
    return state;
}
std::size_t MemoryJournal::acknowledge(std::size_t n, std::exception_ptr error) {
    std::size_t done = 0;
    for (; done < n; ++done) {
        std::unique_lock lock(mutex_);
        if (held_.empty()) break;
        auto stored = std::move(held_.front());
        held_.pop_front();
        lock.unlock();
        stored(error);
    }
    return done;
}
}
