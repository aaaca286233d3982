// After a failed call a log writes its events again some seconds later. They are lost if the process drops the log
// before: it dies, or the run leaves it.
#include "tests/simulation/told_events.hpp"
#include "tests/simulation/served_logs.hpp"
#include <algorithm>

namespace simulation {
using namespace storage;
using namespace std::chrono_literals;
namespace {
constexpr auto longest_repetition = 12s;  // from the end of an outage until a log has written its events again
}
std::uint64_t ToldEvents::begins(const std::string& owner, const std::string& run, const std::string& key) {
    executions_.push_back(
        {storage::engine_of(owner), run.substr(0, run.find('/')), key, world_.now(), world_.now(), {}, false});
    return executions_.size() - 1;
}
std::uint64_t ToldEvents::streams(std::uint64_t execution) {
    executions_[execution].events.push_back(text_of_note(++events_));
    return events_;
}
void ToldEvents::completes(std::uint64_t execution) {
    executions_[execution].is_complete = true;
    executions_[execution].ended = world_.now();
}
void ToldEvents::has_outage(const std::string& owner, Duration time) {
    outages_.push_back({owner, world_.now(), world_.now() + time + longest_repetition});
}
void ToldEvents::has_pause(const std::string& owner, Duration time) {
    pauses_.push_back({owner, world_.now(), world_.now() + time + longest_repetition});
}
/// The time when the process has repeated all calls that have failed since then.
Clock::Time ToldEvents::end_of_troubles(const std::string& owner, Clock::Time from) const {
    auto end = from;
    for (bool goes_on = true; std::exchange(goes_on, false);)
        for (const auto* all : {&outages_, &pauses_})
            for (const auto& each : *all) {
                const bool is_next = (each.owner.empty() || each.owner == owner) && each.begun <= end &&
                                     each.ended > end;
                if (is_next) end = each.ended;
                goes_on |= is_next;
            }
    return end;
}
bool ToldEvents::has_dropped(const Execution& one, Clock::Time before) const {
    return std::ranges::any_of(drops_, [&](const DroppedLog& log) {
        return log.owner == one.owner && (log.run.empty() || log.run == one.run) && log.at >= one.begun &&
               log.at <= before;
    });
}
bool ToldEvents::is_excused(const Execution& one) const {
    return std::ranges::any_of(outages_, [&](const Outage& outage) {
        return (outage.owner.empty() || outage.owner == one.owner) && outage.begun <= one.ended + longest_repetition &&
               outage.ended >= one.begun && has_dropped(one, end_of_troubles(one.owner, outage.ended));
    });
}
void ToldEvents::gets(EventClient& client, std::int64_t number, const std::string& text) {
    ++ledger_.counts.told;
    const auto name = "event " + std::to_string(number) + " of the run " + client.run;
    if (number != client.after + 1)
        ledger_.fault("a client gets " + name + " after the event " + std::to_string(client.after));
    client.after = number;
    const auto [known, is_new] = got_[client.run].emplace(number, text);
    if (!is_new && known->second != text) ledger_.fault(name + " is '" + known->second + "' and '" + text + "'");
}
void ToldEvents::judge_log(const std::string& run, const std::vector<LogEntry>& entries) {
    std::set<std::string> told;
    for (const auto& entry : entries) {
        const auto name = "entry " + std::to_string(entry.number) + " of the log of " + run;
        if (entry.number != std::uint64_t(&entry - entries.data())) ledger_.fault(name + " has a wrong number");
        if (!told.insert(entry.body).second) ledger_.fault(name + " is there twice: " + entry.body);
        if (entry.body == text_of_end && &entry != &entries.back()) ledger_.fault(name + " ends it, and others follow");
    }
    for (const auto& [number, text] : got_[run])
        if (std::uint64_t(number) >= entries.size() || entries[std::size_t(number)].body != text)
            ledger_.fault("a client has event " + std::to_string(number) + " of the run " + run + ", '" + text +
                          "', and the store does not");
    const auto lacks = [&](const Execution& one, const std::string& text) {
        const auto entered = entered_.find(text);
        return entered != entered_.end() && entered->second <= one.ended && !told.contains(text);
    };
    std::map<std::string, bool> steps;  // by key: the log has all events of an execution
    for (const auto& one : executions_)
        if (one.run == run && one.is_complete && ledger_.has_finished(one.key))
            steps[one.key] |= is_excused(one) ||
                              std::ranges::none_of(one.events, [&](const auto& text) { return lacks(one, text); });
    for (const auto& [key, is_told] : steps)
        if (!is_told) ledger_.fault("the log lacks events of the finished step " + key);
}
void ToldEvents::judge() {
    for (const auto& each : ledger_.runs)
        store_.read_log(
            each.first, 0, most_log_entries,
            [&](const std::exception_ptr& error, const LogPart& part) {
                if (!error) judge_log(each.first, part.entries);
            },
            most_log_bytes);
}
}
