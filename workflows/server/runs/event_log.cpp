// A log has one writer, the loop of its run, and readers on other loops, with a mutex between them. Events go to the
// store before the tick that follows them, so that events that a client has seen, or that a finished step has streamed,
// are never lost.
#include "workflows/server/runs/event_log.hpp"
#include "engine/error.hpp"
#include "engine/json/line.hpp"
#include "engine/retry.hpp"
#include "engine/store_reply.hpp"
#include "workflows/server/runs/envelope.hpp"
#include <algorithm>
#include <boost/asio/post.hpp>

namespace weft::server {
using namespace storage;
namespace {
constexpr std::size_t most_read = 32;          // maximum events in one read of the store
constexpr std::size_t most_kept = 1ull << 40;  // practically unlimited: trim() enforces the limits

std::string envelope_of(const StepState& state) {
    const nlohmann::json value = {
        {"name", state.step},
        {"step_state", state.running ? "running" : "not_running"},
        {"worker_id", std::to_string(state.worker)},
        {"input_event_name", state.input},
        {"output_event_name", state.output.empty() ? nlohmann::json() : nlohmann::json(state.output)}};
    return envelope("StepStateChanged", "InternalDispatchEvent", json_line(value));
}
}

EventLog::EventLog(LogLimits limits)
    : limits_(std::move(limits)), events_(most_kept), internal_(limits_.internal + 1) {}
EventLog::~EventLog() {
    ended_ = true;
    count();
}
/// Updates the bytes of this log in the total of all logs.
void EventLog::count() {
    if (!limits_.held) return;
    const auto now = ended_ ? 0 : bytes_;
    *limits_.held += now - counted_;  // modulo 2^64: the difference may be negative
    counted_ = now;
}
void EventLog::keep_in(Store& store, std::string run, const Runtime& runtime, std::uint64_t next, bool ended) {
    std::lock_guard lock(mutex_);
    runtime_ = runtime;
    store_ = &store;
    cache_ = limits_.cache ? limits_.cache : std::make_shared<LogCache>();
    run_ = std::move(run);
    first_ = stored_ = std::int64_t(next);
    ended_ = ended;
}
void EventLog::add(std::string text, bool is_last) {
    LogEntries entries;
    {
        std::lock_guard lock(mutex_);
        if (ended_ || broken_off_) return;
        const auto number = end();
        bytes_ += text.size();
        events_.push_back(std::make_shared<const std::string>(std::move(text)));
        ended_ = is_last;
        trim();
        if (!store_) return ring();
        if (!waits_) entries = entries_from(number);
    }
    hand_over(std::move(entries));
}
/// Writes all events that are not stored again, after a wait that grows with each failure.
void EventLog::store_again() {
    unsigned failures = 0;
    {
        std::lock_guard lock(mutex_);
        failures = failures_;
    }
    constexpr Wait wait{std::chrono::milliseconds(50), std::chrono::seconds(5), 2};
    again_ = runtime_.clock->make_alarm(runtime_.executor, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        LogEntries entries;
        {
            std::lock_guard lock(self->mutex_);
            self->waits_ = false;
            entries = self->entries_from(self->stored_);
        }
        self->hand_over(std::move(entries));
    });
    again_->set(runtime_.clock->after(wait.before_retry(failures + 1)));
}
LogEntries EventLog::entries_from(std::int64_t number) const {
    LogEntries entries{.run = run_, .epoch = epoch_, .entries = {}};
    for (number = std::max(number, first_); number < end(); ++number)
        entries.entries.push_back({std::uint64_t(number), *events_[std::size_t(number - first_)]});
    return entries;
}
void EventLog::hand_over(LogEntries entries) {
    if (entries.entries.empty()) return;
    Store* const database = database_;
    auto& store = database ? *database : *store_;
    store.write_log(std::move(entries), [weak = weak_from_this()](const std::exception_ptr& error, LogReply logged) {
        if (const auto self = weak.lock()) self->stored(logged, error);
    });
}
void EventLog::stored(const LogReply& logged, const std::exception_ptr& error) {
    std::lock_guard lock(mutex_);
    if (error) {
        ++failures_;
        if (std::exchange(waits_, true)) return;
        return asio::post(runtime_.executor, [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->store_again();
        });
    }
    failures_ = 0;
    if (logged.is_fenced) broken_off_ = true;
    else stored_ = std::max(stored_, std::min(std::int64_t(logged.next), end()));
    trim();
    ring();
}
void EventLog::add_internal(const StepState& state) {
    std::lock_guard lock(mutex_);
    if (ended_) return;
    internal_.push_back(Internal{end() - 1, state, nullptr});
    trim();
    ring(true);
}
void EventLog::add_internal(std::string text) {
    std::lock_guard lock(mutex_);
    if (ended_) return;
    internal_.push_back(Internal{end() - 1, {}, std::make_shared<const std::string>(std::move(text))});
    trim();
    ring(true);
}
void EventLog::break_off() {
    std::lock_guard lock(mutex_);
    broken_off_ = true;
    ring();
}
void EventLog::trim() {
    const auto most = store_ ? limits_.latest : limits_.events;
    const auto most_bytes = store_ ? limits_.latest_bytes : limits_.bytes;
    while (events_.size() > 1 && (events_.size() > most || bytes_ > most_bytes) && (!store_ || first_ < stored_)) {
        bytes_ -= events_.front()->size();
        events_.pop_front();
        ++first_;
    }
    for (; internal_.size() > limits_.internal; ++internal_first_) internal_.pop_front();
    count();
}
void EventLog::ring(bool internal_only) {
    for (auto* reader : readers_)
        if (!internal_only || reader->options_.internal) reader->signal_.ring();
}
std::int64_t EventLog::next() const {
    std::lock_guard lock(mutex_);
    return end();
}
bool EventLog::ended() const {
    std::lock_guard lock(mutex_);
    return ended_;
}
void EventLog::refuse_dropped() const {
    throw Error(Code::journal, "the events up to number " + std::to_string(first_ - 1) +
                                   " are no longer kept: request those after it, or only the result");
}
std::size_t EventLog::bytes() const {
    std::lock_guard lock(mutex_);
    return bytes_ + internal_.size() * sizeof(Internal);
}
std::size_t EventLog::readers() const {
    std::lock_guard lock(mutex_);
    return readers_.size();
}
std::int64_t EventLog::first_kept() const {
    std::lock_guard lock(mutex_);
    return store_ ? 0 : first_;
}
bool EventLog::has_all_after(std::int64_t number) const { return number + 1 >= first_kept(); }

EventReader::EventReader(std::shared_ptr<EventLog> log, ReaderOptions options)
    : log_(std::move(log)), options_(options), next_(options.after + 1) {
    std::lock_guard lock(log_->mutex_);
    next_ = std::clamp<std::int64_t>(next_, 0, log_->end());
    log_->readers_.insert(this);
    const auto& all = log_->internal_;
    const auto first = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.behind >= next_ - 1; });
    next_internal_ = log_->internal_first_ + std::uint64_t(first - all.begin());
}
EventReader::~EventReader() {
    std::lock_guard lock(log_->mutex_);
    log_->readers_.erase(this);
}
bool EventReader::reads_store() const {
    std::lock_guard lock(log_->mutex_);
    return log_->store_ && next_ < log_->first_;
}
EventReader::ReadOutcome EventReader::take(std::vector<LoggedEvent>& found) {
    auto& log = *log_;
    std::lock_guard lock(log.mutex_);
    next_internal_ = std::max(next_internal_, log.internal_first_);
    std::size_t bytes = 0;
    const auto visible = log.visible();
    const auto take_internal = [&](std::int64_t before) {
        for (; next_internal_ < log.internal_first_ + log.internal_.size(); ++next_internal_) {
            auto& one = log.internal_[std::size_t(next_internal_ - log.internal_first_)];
            if (one.behind >= before || bytes >= options_.most_bytes) return;
            if (!options_.internal) continue;
            if (!one.envelope) one.envelope = std::make_shared<const std::string>(envelope_of(one.state));
            bytes += one.envelope->size();
            found.push_back({one.behind, one.envelope, true, false});
        }
    };
    if (next_ < log.first_) {
        if (log.store_) return ReadOutcome::read_store;
        log.refuse_dropped();
    }
    for (; next_ < visible && bytes < options_.most_bytes; ++next_) {
        take_internal(next_);
        const auto& text = log.events_[std::size_t(next_ - log.first_)];
        bytes += text->size();
        found.push_back({next_, text, false, log.ended_ && next_ + 1 == log.end()});
    }
    if (next_ == visible && !log.ended_) take_internal(visible);
    if (!found.empty()) return ReadOutcome::found;
    if (log.ended_ && next_ == log.end()) return ReadOutcome::end;
    if (log.broken_off_)
        throw Error(Code::cancelled, "this server no longer has the events of this run: request them again");
    return ReadOutcome::wait;
}
/// Reads one event and, as far as `most` bytes allow, the next ones. The cache keeps them for all readers.
awaitable<std::shared_ptr<const std::string>> EventReader::fetch(std::int64_t number, std::size_t most) {
    auto& cache = *log_->cache_;
    if (auto known = cache.find(log_->run_, number)) co_return known;
    auto waiting = cache.turn();
    const auto turn = co_await std::move(waiting);
    if (auto known = cache.find(log_->run_, number)) co_return known;
    auto asking = store_reply<LogPart>([&](auto then) {
        log_->store_->read_log(log_->run_, std::uint64_t(number), most, std::move(then), options_.most_bytes);
    });
    auto part = co_await std::move(asking);
    std::shared_ptr<const std::string> found;
    for (auto& entry : part.entries) {
        // Events of a former version may contain line breaks.
        auto text = std::make_shared<const std::string>(as_one_line(std::move(entry.body)));
        if (std::int64_t(entry.number) == number) found = text;
        cache.put(log_->run_, std::int64_t(entry.number), std::move(text));
    }
    if (!found) throw Error(Code::journal, "event " + std::to_string(number) + " of the run is missing in the store");
    co_return found;
}
awaitable<std::shared_ptr<const std::string>> EventReader::again(std::int64_t number) {
    {
        std::lock_guard lock(log_->mutex_);
        if (number >= log_->first_ && number < log_->end()) co_return log_->events_[std::size_t(number - log_->first_)];
        if (!log_->store_) log_->refuse_dropped();
    }
    auto fetching = fetch(number, 1);
    co_return co_await std::move(fetching);
}
awaitable<std::vector<LoggedEvent>> EventReader::read_store() {
    std::vector<LoggedEvent> found;
    const bool ended = log_->ended();
    const auto end = log_->next();
    std::size_t bytes = 0;
    for (bool is_near = true; is_near && bytes < options_.most_bytes && found.size() < most_read; ++next_) {
        auto fetching = fetch(next_, most_read);
        auto text = co_await std::move(fetching);
        bytes += text->size();
        found.push_back({next_, std::move(text), false, ended && next_ + 1 == end});
        is_near = next_ + 1 < end && log_->cache_->find(log_->run_, next_ + 1);
    }
    co_return found;
}
awaitable<std::vector<LoggedEvent>> EventReader::next() {
    std::vector<LoggedEvent> found;
    for (;;) {
        const auto what = take(found);
        if (what == ReadOutcome::read_store) co_return co_await read_store();
        if (what == ReadOutcome::end) at_end_ = true;
        if (what != ReadOutcome::wait || nudged_.exchange(false)) co_return found;
        auto rung = signal_.wait();
        co_await std::move(rung);
    }
}
}
