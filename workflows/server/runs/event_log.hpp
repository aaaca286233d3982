// The numbered events of one run, for any number of readers. A reader may leave and return.
//
//     log->add(envelope);                                     // from any thread
//     EventReader reader(log, {.after = 16});                 // events after number 16
//     while (auto events = co_await reader.next()) ...          // at least one event; empty at the end
//
// Public events have numbers from 0 without gaps. Internal events, which report the work of steps, have no number: they
// follow the public event before them. The log keeps only the latest, and readers get them on request. With a store,
// each event is stored before a reader gets it, and memory has only the latest events. Without a store, a log that is
// too long drops the oldest events, and a reader that needs them gets an error.
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
/// Bounds of a log's memory.
struct LogLimits {
    std::size_t events = 10'000, bytes = 16 << 20;       // maximum in memory, without a store
    std::size_t latest = 256, latest_bytes = 256 << 10;  // maximum in memory, with a store
    std::size_t internal = 512;                          // maximum internal events
    std::shared_ptr<LogCache> cache = nullptr;           // shared by several logs; null: an own cache
    /// The total bytes of all logs that have not ended.
    std::shared_ptr<std::atomic<std::size_t>> held = nullptr;
};
/// The state of one step; a reader makes its envelope. The names belong to the definition, which outlives the log.
struct StepState {
    std::string_view step,     // name of the step
        input,                 // type of the event that it takes
        output;                // type of the first event that it has emitted; empty: none
    std::uint32_t worker = 0;  // index of the step's worker, from 0
    bool running = false;      // false: this execution has ended
};
/// An event as a reader gets it.
struct LoggedEvent {
    std::int64_t number = -1;                     // an internal event has the last public one's; -1: none
    std::shared_ptr<const std::string> envelope;  // JSON in one line
    bool is_internal = false,                     // reports the work of steps
        is_last = false;                          // ends the log
};

class EventReader;
class EventLog : public std::enable_shared_from_this<EventLog> {
public:
    explicit EventLog(LogLimits limits = {});
    EventLog(const EventLog&) = delete;
    ~EventLog();
    /// From now on the log writes events to the store, which outlives the log, and readers get the stored events. The
    /// first new event has the number `next`; `ended` if the last event is stored already. After a failure the log
    /// writes again, by the runtime's clock.
    void keep_in(Store&, std::string run, const Runtime&, std::uint64_t next = 0, bool ended = false);
    /// Sets the epoch of the run's owner (engine/store.hpp), which all later writes to the store name.
    void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }
    /// Sets the database of the run (Observer::RunInfo::store). A write there arrives before the next tick of the run;
    /// the store may have to look for the database first.
    void set_database(Store* database) { database_ = database; }
    /// The last event ends the log, which drops all later ones.
    void add(std::string envelope, bool is_last = false);
    /// Adds an internal event. An ended log drops it, and the oldest one makes room for the newest.
    void add_internal(const StepState&);
    void add_internal(std::string envelope);
    /// Ends all readers of an incomplete log: its run continues in another process, or later.
    void break_off();

    std::int64_t next() const;  // the number of the next public event
    bool ended() const;         // the log has the last event
    /// Whether the log writes to a store (keep_in()).
    bool is_stored() const { return store_ != nullptr; }
    /// Whether the run continues if this process loses its lease: other processes share the store.
    bool outlives_lease() const { return store_ && store_->is_shared(); }
    std::size_t bytes() const;  // bytes in memory
    std::size_t readers() const;
    /// Whether the log still has all events after this number.
    bool has_all_after(std::int64_t number) const;
    std::int64_t first_kept() const;  // number of the oldest public event that readers can get

private:
    friend class EventReader;
    using EnvelopeText = std::shared_ptr<const std::string>;
    struct Internal {
        std::int64_t behind;  // number of the public event before it
        StepState state;
        EnvelopeText envelope;  // null before the first reader
    };
    std::int64_t end() const { return first_ + std::int64_t(events_.size()); }
    std::int64_t visible() const { return store_ ? stored_ : end(); }
    void count();
    void trim();
    [[noreturn]] void refuse_dropped() const;  // the caller holds the lock
    void ring(bool internal_only = false);
    storage::LogEntries entries_from(std::int64_t number) const;
    void hand_over(storage::LogEntries);
    void store_again();
    void stored(const storage::LogReply&, const std::exception_ptr&);

    const LogLimits limits_;
    std::shared_ptr<LogCache> cache_;
    mutable std::mutex mutex_;
    // These grow by demand: most runs have few events, for which a deque would take 1 KB.
    boost::circular_buffer_space_optimized<EnvelopeText> events_;
    boost::circular_buffer_space_optimized<Internal> internal_;
    std::uint64_t internal_first_ = 0;  // count of dropped ones
    std::int64_t first_ = 0;            // number of the first event in memory
    std::int64_t stored_ = 0;           // all events below this number are stored
    std::size_t bytes_ = 0, counted_ = 0;
    bool ended_ = false, broken_off_ = false;
    unsigned failures_ = 0;  // consecutive failed writes of the events from `stored_`
    bool waits_ = false;     // for the next attempt to write
    Runtime runtime_;
    std::unique_ptr<Alarm> again_;  // used on the runtime's loop
    Store* store_ = nullptr;
    std::atomic<Store*> database_ = nullptr;
    std::string run_;
    std::atomic<std::uint64_t> epoch_ = 0;
    std::set<EventReader*> readers_;
};

/// The place of a reader in its log, and its choice of events.
struct ReaderOptions {
    std::int64_t after = -1;            // number of the last event that the reader has; -1: none
    bool internal = false;              // also get the internal events
    std::size_t most_bytes = 64 << 10;  // maximum of one next(), which returns at least one event
};
class EventReader {
public:
    EventReader(std::shared_ptr<EventLog>, ReaderOptions);
    ~EventReader();
    EventReader(const EventReader&) = delete;
    /// Waits for events and returns them; empty after the last event. Throws Error{journal} if the log has dropped
    /// events that the reader needs, or the store fails; Error{cancelled} after break_off().
    awaitable<std::vector<LoggedEvent>> next();
    /// Whether next() reads the store instead of waiting for a new event.
    bool reads_store() const;
    /// Returns a public event that next() has returned before. Throws as next() does.
    awaitable<std::shared_ptr<const std::string>> again(std::int64_t number);
    /// Makes next() return an empty list once, before the end.
    void nudge() {
        nudged_ = true;
        signal_.ring();
    }
    /// Whether next() has returned the empty list behind the last event.
    bool at_end() const { return at_end_; }

private:
    friend class EventLog;
    enum class ReadOutcome { found, end, wait, read_store };
    ReadOutcome take(std::vector<LoggedEvent>&);
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
