// A log has small limits, so that clients read much from the store. A client leaves after some events, and returns.
#include "tests/simulation/served_logs.hpp"
#include "engine/any_event.hpp"
#include "engine/ending.hpp"
#include "engine/spawn.hpp"
#include "engine/store_reply.hpp"
#include "engine/terminal.hpp"
#include "engine/timeout.hpp"

namespace simulation {
using namespace storage;
using namespace std::chrono_literals;
using server::EventLog, server::EventReader;
namespace {
constexpr std::size_t most_in_memory = 2, most_at_once = 64;  // events; bytes
std::string root_of(std::string_view run) { return std::string(run.substr(0, run.find('/'))); }
}
std::string text_of_note(std::uint64_t number) { return "note " + std::to_string(number); }
awaitable<LogPart> ServedLogs::ask(std::string run, std::uint64_t from, std::size_t most) {
    return store_reply<LogPart>([&](auto then) { store_.read_log(run, from, most, std::move(then), most_log_bytes); });
}
void ServedLogs::put(const std::string& run, std::uint64_t epoch, std::uint64_t next, bool has_end) {
    auto& served = logs_[run];
    served.epoch = epoch;
    served.log = std::make_shared<EventLog>(server::LogLimits{.latest = most_in_memory});
    served.log->keep_in(store_, run, runtime_, next, has_end);
    served.log->set_epoch(epoch);
    for (const auto& signal : std::exchange(served.waiting, {})) signal.ring();
}
awaitable<void> ServedLogs::begin(std::string run, std::uint64_t epoch) {
    for (;;) {
        std::optional<std::uint64_t> next;
        try {
            auto asking = ask(run, 0, 0);
            next = (co_await std::move(asking)).next;
        } catch (const Error&) {}
        const auto known = logs_.find(run);
        if (known == logs_.end() || known->second.epoch != epoch) co_return;
        if (next) {
            put(run, epoch, *next, false);
            const auto row = told_.row(run);
            if (weft::has_ended(row.status) && row.epoch == epoch)  // before it had a log
                logs_[run].log->add(std::string(text_of_end), true);
            co_return;
        }
        auto resting = sleep_for(200ms);
        co_await std::move(resting);
    }
}
awaitable<void> ServedLogs::open(std::string run) {
    const auto epoch = find_epoch_(run);
    if (epoch == 0) co_return;
    if (auto& served = logs_[run]; served.epoch != epoch) {
        if (served.log) {
            served.log->break_off();
            told_.drops_log(process_, run);
        }
        served = {.epoch = epoch, .log = nullptr, .waiting = {}};
        spawn(runtime_, begin(run, epoch), [](const std::exception_ptr&) {});
    }
    for (;;) {
        const auto known = logs_.find(run);
        if (known == logs_.end() || known->second.log) co_return;
        const Signal ready;
        known->second.waiting.push_back(ready);
        auto rung = ready.wait();
        co_await std::move(rung);
    }
}
void ServedLogs::event_streamed(const RunInfo& run, const AnyEvent& event) noexcept {
    const auto known = logs_.find(root_of(run.id));
    if (known == logs_.end() || !known->second.log) return;
    auto& log = *known->second.log;
    if (run.store) log.set_database(run.store);
    if (const auto* note = event.get_if<NoteCargo>()) {
        told_.enters_log(text_of_note(note->value));
        return log.add(text_of_note(note->value));
    }
    if (!run.parent.empty() || !(event.type().is_stop || ending_of(event))) return;
    const auto row = told_.row(known->first);
    const bool has_ended = weft::has_ended(row.status);
    if (!has_ended || row.epoch != known->second.epoch) told_.drops_log(process_, known->first);
    if (!has_ended) log.break_off();  // it has left memory, and continues later
    else log.add(std::string(text_of_end), true);
}
void ServedLogs::run_parked(const RunInfo& run) noexcept {
    const auto known = logs_.find(std::string(run.id));
    if (known == logs_.end()) return;
    if (known->second.log) known->second.log->break_off();
    told_.drops_log(process_, known->first);
    logs_.erase(known);
}
bool ServedLogs::serve(const std::shared_ptr<EventClient>& client, const RunRow& row) {
    const auto known = logs_.find(row.id);
    if (known != logs_.end()) {
        const auto log = known->second.log;
        if (log) spawn_serving(client, tell(client, log));
        return log != nullptr;
    }
    if (has_ended(row.status)) spawn_serving(client, restore(client, row));
    return has_ended(row.status);
}
void ServedLogs::spawn_serving(const std::shared_ptr<EventClient>& client, awaitable<void> work) {
    spawn(runtime_, std::move(work), [client](const std::exception_ptr&) { client->server.clear(); });
}
awaitable<void> ServedLogs::restore(std::shared_ptr<EventClient> client, RunRow row) {
    std::uint64_t next = 0;
    bool has_end = false;
    for (std::uint64_t end = 1; next < end;) {
        auto reading = ask(row.id, next, most_log_entries);
        const auto part = co_await std::move(reading);
        next += part.entries.size();
        end = part.next;
        if (!part.entries.empty()) has_end = part.entries.back().body == text_of_end;
    }
    if (!logs_.contains(row.id)) {
        put(row.id, row.epoch, next, has_end);
        if (!has_end) logs_[row.id].log->add(std::string(text_of_end), true);
    }
    if (const auto log = logs_[row.id].log) {
        auto telling = tell(client, log);
        co_await std::move(telling);
    }
}
awaitable<void> ServedLogs::tell(std::shared_ptr<EventClient> client, LogPointer log) {
    EventReader reader(log, {.after = client->after, .most_bytes = most_at_once});
    for (int batches = 0; batches < 12; ++batches) {
        auto reading = reader.next();
        const auto events = co_await std::move(reading);
        if (events.empty()) {
            client->has_end = reader.at_end();
            co_return;
        }
        for (const auto& event : events) told_.gets(*client, event.number, *event.envelope);
    }
}
}
