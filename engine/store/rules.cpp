// A repeated append finds its ticks stored; their sums distinguish it from an append with other content.
#include "engine/store/rules.hpp"
#include "engine/store/damaged.hpp"
#include "engine/text/time_parts.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <chrono>
#include <limits>
#include <unordered_map>

namespace weft::storage {
namespace {
void check_numbers(const std::string& run, const std::vector<StoredTick>& ticks, std::uint64_t first) {
    for (auto& tick : ticks)
        if (tick.seq != first++)
            throw Error(Code::usage, "run " + run + ": ticks are stored in order, and tick " +
                                         std::to_string(tick.seq) + " stands where " + std::to_string(first - 1) +
                                         " belongs");
}
std::string of_tick(const std::string& run, std::uint64_t tick, const std::string& what) {
    return "run " + run + ": tick " + std::to_string(tick) + " " + what;
}
bool left_like(const RunRow& row, const RunRelease& left) {
    if (has_ended(left.status)) return row.status == left.status && row.outcome == left.outcome;
    return !has_ended(row.status);
}
}
bool can_be_run_id(std::string_view id) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    return !id.empty() && is_utf8(id) && std::ranges::none_of(id, is_control);
}
void check_key_name(std::string_view name, const std::string& whose) {
    constexpr std::size_t most = 200;
    if (name.size() > most)
        throw Error(Code::usage, "the name of a key has at most " + std::to_string(most) + " bytes, and that of " +
                                     whose + " has " + std::to_string(name.size()));
    if (!name.empty() &&
        (!name.starts_with(values_member) || name.size() == values_member.size() || !can_be_run_id(name)))
        throw Error(Code::usage, "the key of runs is a member of their values, such as value.tenant, and \"" +
                                     excerpt(name, 60) + "\" is none");
}
void check_queue_name(std::string_view name) {
    constexpr std::size_t most = 200;
    if (name.size() > most || !can_be_run_id(name))
        throw Error(Code::usage, "the name of a queue is one line of 1 to " + std::to_string(most) +
                                     " bytes of UTF-8 without control characters, and \"" + excerpt(name, 60) +
                                     "\" is not");
}
namespace {
void check_debounce(const NewRun& run) {
    constexpr std::size_t most = 200;
    if (run.debounce.size() > most || !can_be_run_id(run.debounce) || run.id.size() > most)
        throw Error(Code::usage, "a debounce key is one line of at most " + std::to_string(most) +
                                     " bytes of UTF-8, as is the id of its run, and \"" + excerpt(run.debounce, 60) +
                                     "\" is not");
    if (run.longest <= 0 || run.longest > longest_debounce)
        throw Error(Code::usage,
                    "run " + run.id +
                        " waits too long or too short for later starts: give it more than 0 s and at most 366 days");
    if (!run.not_before || !run.start_key.empty() || !run.forked_from.empty() || run.ticks.size() != 1 ||
        run.ticks.front().seq != 0)
        throw Error(Code::usage, "run " + run.id +
                                     " has a debounce key: it needs a first time and just tick 0, and "
                                     "can neither have a key nor be a fork");
}
}
void check_run(const NewRun& run) {
    check_queue_name(run.queue);
    if (run.id.empty()) throw Error(Code::usage, "a run needs an id");
    if (!can_be_run_id(run.id))
        throw Error(Code::usage, "the id of a run is one line of UTF-8 without control characters, and \"" +
                                     excerpt(run.id, 60) + "\" is not");
    if (run.plan.workflow.empty()) throw Error(Code::usage, "run " + run.id + " needs the name of its workflow");
    if (run.not_before && !run.owner.empty())
        throw Error(Code::usage, "run " + run.id + " cannot have an owner before it begins");
    if (run.not_before > last_time.time_since_epoch().count())
        throw Error(Code::usage, "run " + run.id + " cannot begin after the year 9999: give it an earlier time");
    check_numbers(run.id, run.ticks, run.ticks.empty() ? 0 : run.ticks.front().seq);
    if (!run.debounce.empty()) check_debounce(run);
}
void check_runs(const std::vector<NewRun>& runs) {
    if (runs.size() > most_new_runs)
        throw Error(Code::usage, std::to_string(runs.size()) + " runs are too many for one call: at most " +
                                     std::to_string(most_new_runs) + " are created at once");
    for (auto& run : runs) {
        check_run(run);
        if (run.plan.hash == runs.front().plan.hash && run.plan.workflow == runs.front().plan.workflow &&
            run.owner.empty() && run.forked_from.empty() && run.ticks.size() == 1 && run.ticks.front().seq == 0 &&
            run.debounce.empty())
            continue;
        throw Error(Code::usage, "run " + run.id +
                                     " has an owner, a debounce key, another declaration than the first run, or not "
                                     "just tick 0: create it alone");
    }
}
std::vector<std::size_t> firsts_of_ids(const std::vector<NewRun>& runs) {
    std::vector<std::size_t> firsts;
    std::unordered_map<std::string_view, std::size_t> seen;
    for (auto& run : runs) firsts.push_back(seen.try_emplace(run.id, firsts.size()).first->second);
    return firsts;
}
void check_mail(const Mail& mail) {
    constexpr std::size_t most = 500;
    if (mail.id.size() > most)
        throw Error(Code::usage, "the id of a message has at most " + std::to_string(most) +
                                     " bytes, and this one has " + std::to_string(mail.id.size()));
}
void check_batch(const Batch& batch) {
    check_numbers(batch.run, batch.ticks, batch.seq);
    if (batch.left && batch.left->status == RunStatus::running)
        throw Error(Code::usage, "run " + batch.run + ": an owner cannot leave a run with the status running");
    if (batch.begins_again && (batch.ticks.size() != 1 || !is_first(batch.ticks[0]) || !batch.mail.empty() ||
                               batch.snapshot || batch.plan || batch.left))
        throw Error(Code::usage, "run " + batch.run + ": a run begins again with exactly one tick, and nothing else");
}
bool is_first(const StoredTick& tick) { return tick.sum == chained_sum(0, tick.seq, tick.body); }
BatchVerdict judge(const RunRow& row, const Batch& batch, const SumOfTick& sum_of) {
    BatchVerdict verdict;
    if (row.epoch != batch.epoch) {
        verdict.answer = AppendReply::fenced;
        return verdict;
    }
    const auto end = batch.seq + batch.ticks.size();
    if (row.next_seq > batch.seq) verdict.known = std::min<std::uint64_t>(row.next_seq - batch.seq, batch.ticks.size());
    for (std::size_t i = 0; i < verdict.known; ++i)
        if (sum_of(batch.seq + i).value_or(batch.ticks[i].sum) != batch.ticks[i].sum)
            throw Error(Code::journal, of_tick(row.id, batch.seq + i,
                                               "is stored already with other content: two engines write as one owner"));
    if (row.status != RunStatus::running) {
        const bool before = end <= row.next_seq &&
                            (!batch.ticks.empty() || (batch.left && left_like(row, *batch.left)));
        verdict.answer = before ? AppendReply::stored : AppendReply::fenced;
        return verdict;
    }
    if (batch.seq > row.next_seq)
        throw Error(Code::journal,
                    of_tick(row.id, batch.seq, "cannot be stored before tick " + std::to_string(row.next_seq) + " is"));
    verdict.is_last = end >= row.next_seq;
    // A whole batch was stored before. Its snapshot must not come back, because the run may have begun again since.
    verdict.writes = verdict.is_last || batch.ticks.empty() || verdict.known < batch.ticks.size();
    if (batch.left) {
        verdict.leaves = verdict.is_last && (batch.left->status != RunStatus::waiting || batch.left->mail == row.mail);
        if (!verdict.leaves) verdict.answer = AppendReply::has_mail;
    }
    return verdict;
}
LogVerdict judge_log(const RunRow& row, std::uint64_t next, const LogEntries& given) {
    const auto refuse = [&](std::uint64_t entry, const std::string& what) {
        throw Error(Code::usage, "run " + row.id + ": entry " + std::to_string(entry) + " of its log " + what);
    };
    if (row.epoch != given.epoch) return {.is_fenced = true};
    if (given.entries.empty()) return {};
    const auto first = given.entries.front().number;
    if (first > next) refuse(first, "cannot be stored before entry " + std::to_string(next) + " is");
    auto number = first;
    for (auto& entry : given.entries) {
        if (entry.number != number)
            refuse(entry.number, "stands where entry " + std::to_string(number) + " belongs: they are stored in order");
        if (entry.body.size() > most_log_body)
            refuse(number, "has " + std::to_string(entry.body.size()) + " bytes, and at most " +
                               std::to_string(most_log_body) + " are stored of an entry: make it shorter");
        ++number;
    }
    return {.is_fenced = false, .known = std::size_t(std::min<std::uint64_t>(next - first, given.entries.size()))};
}
bool LogRoom::takes(std::string_view body) {
    if (left_ == 0 || (body.size() > bytes_left_ && !is_empty_)) return false;
    --left_;
    bytes_left_ -= std::min(bytes_left_, body.size());
    is_empty_ = false;
    return true;
}
bool may_claim(const RunRow& row, const ClaimRequest& claim, std::int64_t now) {
    const bool is_early = waits_to_begin(row) && row.wake_at > now;
    const bool is_free = row.status == RunStatus::ready ||
                         (row.status == RunStatus::waiting && !claim.ids.empty() && !is_early);
    return is_free && takes(claim.ids, row.id) && takes(claim.workflows, row.workflow) &&
           takes(claim.hashes, row.hash) && takes(claim.queues, row.queue) &&
           std::ranges::find(claim.except, row.id) == claim.except.end() &&
           (!claim.behind || *claim.behind < ClaimRequest::QueuePlace{row.priority, row.created_at});
}
void make_running(RunRow& row, const std::string& owner, std::int64_t now) {
    row.status = RunStatus::running;
    row.owner = owner;
    row.waits_for.clear();
    row.wake_at.reset();
    ++row.epoch;
    row.updated_at = now;
}
void make_ready(RunRow& row, bool is_taken_over, std::int64_t now) {
    row.status = RunStatus::ready;
    row.owner.clear();
    row.wake_at.reset();
    row.epoch += is_taken_over;
    row.takeovers += is_taken_over;
    row.updated_at = now;
}
bool same_key(const RunRow& row, const NewRun& run) {
    return !run.start_key.empty() && row.start_key == run.start_key && row.workflow == run.plan.workflow;
}
bool same_run(const RunRow& row, const NewRun& run, const std::vector<std::uint64_t>& sums) {
    if (run.ticks.empty() || row.workflow != run.plan.workflow || row.start_key != run.start_key ||
        row.forked_from != run.forked_from)
        return false;
    return std::ranges::equal(sums, run.ticks, {}, {}, &StoredTick::sum);
}
RunRow first_row(const NewRun& run, std::int64_t now) {
    RunRow row;
    row.id = run.id;
    row.workflow = run.plan.workflow;
    row.hash = run.plan.hash;
    row.queue = run.queue;
    row.start_key = run.start_key;
    row.forked_from = run.forked_from;
    row.owner = run.owner;
    row.options = run.options;
    row.status = run.owner.empty() ? RunStatus::ready : RunStatus::running;
    if (run.not_before > now || !run.debounce.empty()) {
        row.status = RunStatus::waiting;
        row.wake_at = run.not_before;
    }
    if (!run.debounce.empty()) row.wake_at = std::min(*run.not_before, now + run.longest);
    row.priority = run.priority;
    row.epoch = run.owner.empty() ? 0 : 1;
    row.next_seq = run.ticks.empty() ? 0 : run.ticks.back().seq + 1;
    row.created_at = row.updated_at = now;
    return row;
}
bool has_start(std::string_view starts, const std::string& id) { return starts.find('\n' + id + '\n') != starts.npos; }
DebounceState first_debounce(const NewRun& run, const RunRow& row) {
    return {.key = run.debounce, .last_start = row.created_at + run.longest};
}
void replace_start(RunRow& row, DebounceState& debounce, const NewRun& run, std::int64_t now) {
    const auto later = first_row(run, now);
    row.hash = later.hash;
    row.queue = later.queue;
    row.priority = later.priority;
    row.options = later.options;
    row.updated_at = now;
    row.wake_at = std::min(*run.not_before, debounce.last_start);
    auto& starts = debounce.starts += run.id + '\n';
    if (starts.size() > most_debounced_starts)
        starts.erase(0, starts.find('\n', starts.size() - most_debounced_starts));
}
void check_ticks(const std::string& run, const std::vector<StoredTick>& ticks, std::uint64_t from, std::uint64_t upto,
                 std::uint64_t before) {
    if (!ticks.empty() && ticks.front().seq > from && is_first(ticks.front())) {
        from = ticks.front().seq;
        before = 0;
    }
    for (auto& tick : ticks) {
        if (tick.seq != from) tick_is_missing(run, from);
        if (tick.sum != chained_sum(before, tick.seq, tick.body))
            throw DamagedError(
                run, of_tick(run, from,
                             "is damaged, or the tick before it: its sum does not fit, and the run cannot continue"));
        before = tick.sum;
        ++from;
    }
    if (from != upto) tick_is_missing(run, from);
}
void tick_is_missing(const std::string& run, std::uint64_t tick) {
    throw DamagedError(run, of_tick(run, tick, "is missing in the store: the run cannot continue"));
}
void drop_if_damaged(std::optional<Snapshot>& snapshot) {
    if (snapshot && snapshot->sum != chained_sum(0, snapshot->upto, snapshot->body)) snapshot.reset();
}
void no_such_run(const std::string& id) { throw Error(Code::usage, "the store has no run " + id); }
void id_is_taken(const std::string& id) {
    throw Error(Code::usage, "the store has a run " + id + " already: give the new run another id");
}
void no_such_plan(const std::string& hash) { throw Error(Code::usage, "the store has no declaration " + hash); }
bool Leases::heartbeat(const Heartbeat& worker, std::int64_t now) {
    for (auto& [id, until] : until_)
        if (id != worker.id && until && *until < now) until.reset();
    auto [i, is_new] = until_.try_emplace(worker.id, now);
    if (worker.lease_ms <= 0) i->second.reset();
    if (!i->second) return false;
    i->second = now + worker.lease_ms * 1000;
    return true;
}
bool Leases::is_alive(const std::string& owner) const {
    auto i = until_.find(owner);
    return i != until_.end() && i->second;
}
bool Leases::has_lost(const std::string& owner) const {
    auto i = until_.find(owner);
    return i != until_.end() && !i->second;
}
void check_worker(const Heartbeat& worker) {
    if (worker.info.size() > most_worker_info)
        throw Error(Code::usage, "a worker's description has " + std::to_string(worker.info.size()) +
                                     " bytes, and at most " + std::to_string(most_worker_info) +
                                     " are stored: make it shorter");
}
void count_run(RunCounts& counts, const RunRow& row) {
    if (has_ended(row.status)) return;
    auto& count = counts[{row.queue, row.workflow, row.hash, row.status}];
    if (count.runs++ == 0) {
        count.queue = row.queue;
        count.workflow = row.workflow;
        count.hash = row.hash;
        count.status = row.status;
        count.oldest = std::numeric_limits<std::int64_t>::max();
    }
    count.taken_over += row.takeovers > 0;
    count.oldest = std::min(count.oldest, row.status == RunStatus::ready ? row.updated_at : row.created_at);
    if (!row.wake_at) return;
    ++count.sleeping;
    count.next_wake = std::min(count.next_wake.value_or(*row.wake_at), *row.wake_at);
}
std::vector<RunCount> listed(RunCounts counts) {
    std::vector<RunCount> all;
    for (auto& [group, count] : counts)
        if (all.size() < most_run_counts) all.push_back(std::move(count));
    return all;
}
bool takes(const Filter& filter, const RunRow& row) {
    return takes(filter.ids, row.id) && takes(filter.workflows, row.workflow) && takes(filter.statuses, row.status) &&
           (filter.owner.empty() || row.owner == filter.owner) &&
           (!filter.updated_before || row.updated_at < *filter.updated_before);
}
std::int64_t wall_microseconds() {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}
}
