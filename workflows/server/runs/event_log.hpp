// The events of one run, numbered, for any number of readers that come, go and come back.
//
//     log->add(envelope);                                     // from any thread
//     EventReader reader(log, {.after = 16});                 // has seen up to number 16
//     while (auto events = co_await reader.next()) ...          // what there is, at least one; nothing at the end
//
// Public events have numbers from 0 without gaps. Internal events, which report the work of steps, have no number: they
// follow the public event before them, only the latest are kept, and readers get them on request. With a store, each
// event is on disk before a reader gets it, and memory has only the latest; without one, a log that is too long drops
// the oldest, and a reader that needs them gets an error.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/signal.hpp"
#include "engine/store.hpp"
#include "workflows/server/runs/log_cache.hpp"
#include <atomic>
#include <boost/circular_buffer.hpp>
#include <memory>
#include <set>

namespace weft::server {
struct LogLimits {
    std::size_t events = 10'000, bytes = 16 << 20;       // of a run without a store
    std::size_t latest = 256, latest_bytes = 256 << 10;  // in memory of a run with one
    std::size_t internal = 512;                          // the latest of them
    std::shared_ptr<LogCache> cache = nullptr;           // of what readers read in a store; none: one of its own
    /// The total bytes of all logs that have not ended.
    std::shared_ptr<std::atomic<std::size_t>> held = nullptr;
};
/// What one step does, until somebody reads it. The names are those of a definition, which is there to the end.
struct StepState {
    std::string_view step, input, output;
    std::uint32_t worker = 0;
    bool running = false;
};
struct LoggedEvent {
    std::int64_t number = -1;                     // of a public one; else of the public one before it, -1 before all
    std::shared_ptr<const std::string> envelope;  // JSON in one line
    bool is_internal = false, is_last = false;
};

class EventReader;
class EventLog : public std::enable_shared_from_this<EventLog> {
public:
    explicit EventLog(LogLimits limits = {});
    EventLog(const EventLog&) = delete;
    ~EventLog();
    /// From here on events go to the store, and are seen once they are there. It outlives the log. The first has the
    /// number `next`; `ended`: there will be none, as the last one is stored. What the store does not keep at once is
    /// handed over again, by the runtime's clock.
    void keep_in(Store&, std::string run, const Runtime&, std::uint64_t next = 0, bool ended = false);
    void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }
    /// The last one ends the log: what comes then is dropped.
    void add(std::string envelope, bool is_last = false);
    void add_internal(const StepState&);
    void add_internal(std::string envelope);
    /// Wakes all readers for the end, though it is not complete: its run goes on elsewhere, or later.
    void break_off();

    std::int64_t next() const;  // the number of the next public event
    bool ended() const;         // the last one is there
    bool is_stored() const { return store_ != nullptr; }
    /// Whether the run of this log goes on if this process loses it: other processes share its store.
    bool outlives_lease() const { return store_ && store_->is_shared(); }
    std::size_t bytes() const;  // in memory
    std::size_t readers() const;
    /// Whether a reader that has seen up to this number can have all that follows.
    bool has_all_after(std::int64_t number) const;
    std::int64_t first_kept() const;

private:
    friend class EventReader;
    using Text = std::shared_ptr<const std::string>;
    struct Internal {
        std::int64_t behind;  // this public event
        StepState state;
        Text envelope;  // null: not made yet
    };
    std::int64_t end() const { return first_ + std::int64_t(events_.size()); }
    std::int64_t visible() const { return store_ ? stored_ : end(); }
    void count();
    void trim();
    [[noreturn]] void refuse_dropped() const;  // with the lock
    void ring(bool internal_only = false);
    storage::LogEntries entries_from(std::int64_t number) const;
    void hand_over(storage::LogEntries);
    void store_again();
    void stored(const storage::Logged&, const std::exception_ptr&);

    const LogLimits limits_;
    std::shared_ptr<LogCache> cache_;
    mutable std::mutex mutex_;
    // They grow as they are needed: most runs have a handful of events, for which a deque would take 1 KB.
    boost::circular_buffer_space_optimized<Text> events_;
    boost::circular_buffer_space_optimized<Internal> internal_;
    std::uint64_t internal_first_ = 0;  // how many have been dropped
    std::int64_t first_ = 0;            // the number of the first in memory
    std::int64_t stored_ = 0;           // all below this number are on disk
    std::size_t bytes_ = 0, counted_ = 0;
    bool ended_ = false, broken_off_ = false;
    unsigned failures_ = 0;  // in a row: the store has not kept what follows `stored_`
    bool waits_ = false;     // to hand it over again
    Runtime runtime_;
    std::unique_ptr<Alarm> again_;  // used on the runtime's loop
    Store* store_ = nullptr;
    std::string run_;
    std::atomic<std::uint64_t> epoch_ = 0;
    std::set<EventReader*> readers_;
};

struct ReaderOptions {
    std::int64_t after = -1;  // the number that it has seen; -1: none
    bool internal = false;
    std::size_t most_bytes = 64 << 10;  // of events that are given at once, but one at least
};
class EventReader {
public:
    EventReader(std::shared_ptr<EventLog>, ReaderOptions);
    ~EventReader();
    EventReader(const EventReader&) = delete;
    /// What there is now; empty after the last event. Throws Error{journal} if events were dropped that it has not
    /// seen, and if the store cannot be read; Error{cancelled} if the log was broken off.
    awaitable<std::vector<LoggedEvent>> next();
    /// Whether next() reads the store, and so answers soon.
    bool reads_store() const;
    /// A public event that it was given before, and has not kept. Throws as next() does.
    awaitable<std::shared_ptr<const std::string>> again(std::int64_t number);
    /// Lets next() return with nothing once, though it is not the end.
    void nudge() {
        nudged_ = true;
        signal_.ring();
    }
    bool at_end() const { return at_end_; }

private:
    friend class EventLog;
    enum class Next { found, end, wait, read_store };
    Next take(std::vector<LoggedEvent>&);
    awaitable<std::vector<LoggedEvent>> read_store();
    awaitable<std::shared_ptr<const std::string>> fetch(std::int64_t number, std::size_t most);
    const std::shared_ptr<EventLog> log_;
    const ReaderOptions options_;
    const Signal signal_;
    std::int64_t next_;
    std::uint64_t next_internal_ = 0;
    std::atomic<bool> nudged_ = false;
    bool at_end_ = false;
};
}
