// One lock guards each call; the answer is given outside the lock, since it may call the store again.
#include "engine/store/memory_store.hpp"
#include "engine/error.hpp"
#include <algorithm>
#include <iterator>

namespace weft {
using namespace storage;
template <class T, class Work> void MemoryStore::answer(Then<T>& then, Work work) {
    std::unique_lock lock(mutex_);
    std::exception_ptr error;
    T value{};
    try {
        value = work();
    } catch (...) { error = std::current_exception(); }
    if (holding_) {
        held_.emplace_back([then = std::move(then), error, value = std::move(value)] { then(error, value); });
        return;
    }
    lock.unlock();
    then(error, std::move(value));
}
MemoryStore::RunEntry& MemoryStore::find(const std::string& run) {
    auto i = runs_.find(run);
    if (i == runs_.end()) storage::no_such_run(run);
    return i->second;
}
std::vector<MemoryStore::RunEntry*> MemoryStore::chosen(bool (*before)(const RunEntry*, const RunEntry*),
                                                        const std::function<bool(const RunRow&)>& take,
                                                        std::size_t most) {
    std::vector<RunEntry*> found;
    for (auto& [id, run] : runs_)
        if (take(run.row)) found.push_back(&run);
    std::sort(found.begin(), found.end(), before);
    if (found.size() > most) found.resize(most);
    return found;
}

void MemoryStore::create(NewRun run, Then<CreateReply> then) {
    answer(then, [&]() -> CreateReply {
        storage::check_run(run);
        if (!run.debounce.empty()) return add_debounced(std::move(run));
        if (auto i = runs_.find(run.id); i != runs_.end()) {
            std::vector<std::uint64_t> sums;
            for (auto& tick : i->second.ticks)
                if (sums.size() < run.ticks.size()) sums.push_back(tick.sum);
            if (storage::same_run(i->second.row, run, sums)) return {run.id, true};
            if (!storage::same_key(i->second.row, run)) storage::id_is_taken(run.id);
            return {run.id, false};
        }
        return add(std::move(run));
    });
}
CreateReply MemoryStore::add(NewRun run) {
    if (!run.start_key.empty())
        for (auto& [id, other] : runs_)
            if (other.row.start_key == run.start_key && other.row.workflow == run.plan.workflow) return {id, false};
    RunEntry& made = runs_[run.id];
    made.row = storage::first_row(run, now_());
    if (!run.debounce.empty()) made.debounce = storage::first_debounce(run, made.row);
    made.ticks = std::move(run.ticks);
    made.place = places_++;
    made.flow_key = flow_key(made);
    plans_.try_emplace(run.plan.hash, run.plan);
    return {run.id, true};
}
CreateReply MemoryStore::add_debounced(NewRun run) {
    RunEntry* waiting = nullptr;
    for (auto& [id, other] : runs_) {
        if (other.debounce.key != run.debounce || other.row.workflow != run.plan.workflow) continue;
        if (id == run.id || storage::has_start(other.debounce.starts, run.id)) return {id, id == run.id};
        if (waits_to_begin(other.row)) waiting = &other;
    }
    if (runs_.contains(run.id)) storage::id_is_taken(run.id);
    if (!waiting) return add(std::move(run));
    storage::replace_start(waiting->row, waiting->debounce, run, now_());
    waiting->ticks = std::move(run.ticks);
    waiting->flow_key = flow_key(*waiting);
    plans_.try_emplace(run.plan.hash, run.plan);
    return {waiting->row.id, false};
}
std::string MemoryStore::flow_key(const RunEntry& run) const {
    const auto limits = limits_.find(run.row.queue);
    if (limits == limits_.end() || run.ticks.empty()) return {};
    return storage::key_of(run.ticks.front().body, limits->second.limits);
}
void MemoryStore::create_all(std::vector<NewRun> runs, Then<std::vector<CreateReply>> then) {
    answer(then, [&] {
        storage::check_runs(runs);
        return storage::create_in_order(runs, [&](NewRun& run) {
            return runs_.contains(run.id) ? CreateReply{run.id, false} : add(std::move(run));
        });
    });
}
void MemoryStore::append(Batch batch, Then<AppendReply> then) {
    answer(then, [&] {
        storage::check_batch(batch);
        auto i = runs_.find(batch.run);
        if (i == runs_.end()) return AppendReply::fenced;
        RunEntry& run = i->second;
        auto verdict = storage::judge(run.row, batch, [&](std::uint64_t seq) -> std::optional<std::uint64_t> {
            const auto first = run.ticks.front().seq;
            return seq < first ? std::nullopt : std::optional(run.ticks.at(seq - first).sum);
        });
        if (!verdict.writes) return verdict.answer;
        if (verdict.known < batch.ticks.size()) run.row.takeovers = 0;
        if (batch.begins_again && verdict.known == 0) {
            const auto first = run.ticks.empty() ? 0 : run.ticks.front().seq;
            const auto is_old = [&](auto& letter) { return letter.taken && *letter.taken < first; };
            const auto newest = run.inbox.end() - long(std::min(run.inbox.size(), storage::most_known_mail));
            run.inbox.erase(std::remove_if(run.inbox.begin(), newest, is_old), newest);
            run.ticks.clear();
            run.snapshot.reset();
        }
        run.row.next_seq += batch.ticks.size() - verdict.known;
        std::move(batch.ticks.begin() + long(verdict.known), batch.ticks.end(), std::back_inserter(run.ticks));
        run.row.updated_at = now_();
        for (auto& letter : run.inbox)
            if (!letter.taken && std::count(batch.mail.begin(), batch.mail.end(), letter.mail.id) > 0)
                letter.taken = batch.seq;
        if (batch.snapshot && (!run.snapshot || run.snapshot->upto < batch.snapshot->upto))
            run.snapshot = std::move(batch.snapshot);
        if (batch.plan) plans_.try_emplace(batch.plan->hash, *batch.plan);
        if (batch.plan && verdict.is_last) run.row.hash = batch.plan->hash;
        if (batch.waits_for && verdict.is_last) run.row.waits_for = *batch.waits_for;
        if (verdict.leaves) {
            run.row.status = batch.left->status;
            run.row.wake_at = batch.left->wake_at;
            run.row.outcome = std::move(batch.left->outcome);
            if (has_ended(run.row.status)) run.row.waits_for.clear();
            run.row.owner.clear();
            run.row.takeovers = 0;
        }
        return verdict.answer;
    });
}
void MemoryStore::load(std::string id, Then<History> then, std::uint64_t from) {
    answer(then, [&] {
        RunEntry& run = find(id);
        History history{.run = run.row, .snapshot = run.snapshot, .ticks = {}, .mail = {}};
        storage::drop_if_damaged(history.snapshot);
        from = std::min(from, history.snapshot ? history.snapshot->upto : 0);
        const auto first = run.ticks.empty() ? 0 : run.ticks.front().seq;
        from = std::max(from, first);
        history.ticks.assign(run.ticks.begin() + long(from - first), run.ticks.end());
        for (auto& letter : run.inbox)
            if (!letter.taken) history.mail.push_back(letter.mail);
        storage::check_ticks(id, history.ticks, from, run.row.next_seq,
                             from > first ? run.ticks[from - first - 1].sum : 0);
        return history;
    });
}
void MemoryStore::write_log(LogEntries entries, Then<LogReply> then) {
    answer(then, [&]() -> LogReply {
        RunEntry& run = find(entries.run);
        const auto verdict = storage::judge_log(run.row, run.log.size(), entries);
        if (!verdict.is_fenced)
            std::move(entries.entries.begin() + long(verdict.known), entries.entries.end(),
                      std::back_inserter(run.log));
        return {verdict.is_fenced, run.log.size()};
    });
}
void MemoryStore::read_log(std::string id, std::uint64_t from, std::size_t most, Then<LogPart> then,
                           std::size_t bytes) {
    answer(then, [&] {
        RunEntry& run = find(id);
        LogPart part{.entries = {}, .next = run.log.size()};
        storage::LogRoom room(most, bytes);
        for (; from < part.next && room.takes(run.log[from].body); ++from) part.entries.push_back(run.log[from]);
        return part;
    });
}
void MemoryStore::plan(std::string hash, Then<StoredPlan> then) {
    answer(then, [&] {
        auto i = plans_.find(hash);
        if (i == plans_.end()) storage::no_such_plan(hash);
        return i->second;
    });
}
void MemoryStore::send(Mail mail, Then<SendReply> then) {
    answer(then, [&]() -> SendReply {
        storage::check_mail(mail);
        RunEntry& run = find(mail.run);
        const bool is_known = std::any_of(run.inbox.begin(), run.inbox.end(),
                                          [&](const MailEntry& letter) { return letter.mail.id == mail.id; });
        if (is_known || mail.only_asks || has_ended(run.row.status)) return {run.row.status, false, is_known};
        ++run.row.mail;
        run.row.waits_for.clear();  // the mail may be the awaited answer
        if (storage::wakes(mail, run.row)) storage::make_ready(run.row, false, now_());
        run.inbox.push_back({std::move(mail)});
        return {run.row.status, true};
    });
}
void MemoryStore::claim(ClaimRequest claim, Then<std::vector<RunRow>> then) {
    answer(then, [&] {
        std::vector<RunRow> rows;
        if (leases_.has_lost(claim.owner)) return rows;
        auto first = [](const RunEntry* a, const RunEntry* b) {
            if (a->row.priority != b->row.priority) return a->row.priority > b->row.priority;
            return std::pair(a->row.created_at, a->place) < std::pair(b->row.created_at, b->place);
        };
        auto take = [&, now = now_()](const RunRow& row) { return storage::may_claim(row, claim, now); };
        const bool is_limited = !limits_.empty() && claim.ids.empty();
        auto runs = chosen(first, take, is_limited ? runs_.size() : claim.most);
        if (is_limited) runs = within_limits(runs, claim.most);
        for (auto* run : runs) {
            storage::make_running(run->row, claim.owner, now_());
            rows.push_back(run->row);
        }
        return rows;
    });
}
storage::FlowStates MemoryStore::flows(std::int64_t now) const {
    storage::FlowStates states;
    for (auto& [queue, own] : limits_)
        states[queue] = {.limits = own.limits, .tokens = storage::tokens_at(own.limits, own.tokens, now).count};
    for (auto& [id, run] : runs_)
        if (auto own = states.find(run.row.queue); own != states.end() && run.row.status == RunStatus::running) {
            ++own->second.running;
            ++own->second.running_by_key[run.flow_key];
        }
    return states;
}
std::vector<MemoryStore::RunEntry*> MemoryStore::within_limits(const std::vector<RunEntry*>& runs, std::size_t most) {
    const auto now = now_();
    for (auto& [queue, own] : limits_) own.tokens = storage::tokens_at(own.limits, own.tokens, now);
    std::vector<storage::FlowCandidate> candidates;
    for (auto* run : runs)
        candidates.push_back({run->row.queue, run->flow_key, run->row.priority, run->row.epoch == 0});
    std::vector<RunEntry*> within;
    for (const auto at : storage::choose_in_turn(candidates, flows(now), most)) {
        within.push_back(runs[at]);
        if (auto own = limits_.find(candidates[at].queue); own != limits_.end())
            own->second.tokens.count -= candidates[at].is_start;
    }
    return within;
}
void MemoryStore::set_limits(QueueLimits limits, Then<bool> then) {
    answer(then, [&] {
        storage::check_limits(limits);
        const auto known = limits_.find(limits.queue);
        if (!limits_nothing(limits) && known == limits_.end() && limits_.size() >= most_limited_queues)
            storage::too_many_limits();
        for (auto& [id, run] : runs_)
            if (run.row.queue == limits.queue && !run.ticks.empty())
                run.flow_key = storage::key_of(run.ticks.front().body, limits);
        if (limits_nothing(limits)) limits_.erase(limits.queue);
        else if (known != limits_.end() && known->second.limits.starts) known->second.limits = limits;
        else
            limits_.insert_or_assign(limits.queue, storage::LimitedQueue{limits, storage::full_tokens(limits, now_())});
        return true;
    });
}
void MemoryStore::set_model_limit(ModelLimit limit, Then<bool> then) {
    answer(then, [&] {
        storage::check_limit(limit);
        if (limits_nothing(limit)) return models_.erase(limit.model), true;
        if (!models_.contains(limit.model) && models_.size() >= most_limited_models) storage::too_many_model_limits();
        const auto model = limit.model;
        models_[model].limit = std::move(limit);
        return true;
    });
}
void MemoryStore::model_limits(Then<std::vector<ModelFlow>> then) {
    answer(then, [&] {
        std::vector<ModelFlow> all;
        for (auto& [name, own] : models_) all.push_back(storage::flow_of(own.limit, own.state, now_()));
        return all;
    });
}
void MemoryStore::take_quota(QuotaRequest request, Then<QuotaReply> then) {
    answer(then, [&] {
        storage::check_quota_request(request);
        const auto own = models_.find(request.model);
        if (own == models_.end()) return QuotaReply();
        return storage::take_quota(own->second.limit, own->second.state, request, now_());
    });
}
void MemoryStore::heartbeat(Heartbeat worker, Then<HeartbeatReply> then) {
    answer(then, [&] {
        storage::check_worker(worker);
        const auto now = now_();
        HeartbeatReply reply{.alive = leases_.heartbeat(worker, now), .at = now, .inboxes = {}};
        if (reply.alive) {
            auto& row = workers_.try_emplace(worker.id, WorkerRow{worker.id, {}, now, 0}).first->second;
            row.info = worker.info;
            row.lease_until = now + worker.lease_ms * 1000;
        } else workers_.erase(worker.id);
        for (auto& [id, run] : runs_) {
            if (run.row.status == RunStatus::running && !leases_.is_alive(run.row.owner)) {
                leases_.lose(run.row.owner);
                storage::make_ready(run.row, true, now_());
            }
            if (run.row.status == RunStatus::waiting && run.row.wake_at && *run.row.wake_at <= now)
                storage::make_ready(run.row, false, now_());
            if (run.row.status == RunStatus::running && run.row.owner == worker.id &&
                std::any_of(run.inbox.begin(), run.inbox.end(), [](const MailEntry& letter) { return !letter.taken; }))
                reply.inboxes.push_back({id, run.row.mail});
        }
        return reply;
    });
}
void MemoryStore::list(Filter filter, Then<std::vector<RunRow>> then) {
    answer(then, [&] {
        std::vector<RunRow> rows;
        auto newest = [](const RunEntry* a, const RunEntry* b) {
            return std::pair(a->row.created_at, a->place) > std::pair(b->row.created_at, b->place);
        };
        for (auto* run : chosen(
                 newest, [&](const RunRow& row) { return storage::takes(filter, row); }, filter.most))
            rows.push_back(run->row);
        return rows;
    });
}
void MemoryStore::survey(Then<Survey> then) {
    answer(then, [&] {
        Survey survey;
        survey.at = now_();
        storage::RunCounts counts;
        for (auto& [id, run] : runs_) storage::count_run(counts, run.row);
        survey.runs = storage::listed(std::move(counts));
        for (auto& [queue, state] : flows(survey.at)) {
            std::map<std::string, std::uint64_t> ready;
            std::uint64_t starts = 0;
            for (auto& [id, run] : runs_)
                if (run.row.queue == queue && run.row.status == RunStatus::ready) {
                    ++ready[run.flow_key];
                    starts += run.row.epoch == 0;
                }
            survey.flows.push_back(storage::flow_of(state, ready, starts));
        }
        for (auto& [id, worker] : workers_)
            if (!worker.info.empty() && worker.lease_until >= survey.at && survey.workers.size() < most_workers)
                survey.workers.push_back(worker);
        return survey;
    });
}
void MemoryStore::prune(Filter filter, Then<std::uint64_t> then) {
    answer(then, [&]() -> std::uint64_t {
        auto oldest = [](const RunEntry* a, const RunEntry* b) {
            return std::pair(a->row.updated_at, a->place) < std::pair(b->row.updated_at, b->place);
        };
        auto take = [&](const RunRow& row) { return has_ended(row.status) && storage::takes(filter, row); };
        auto runs = chosen(oldest, take, filter.most);
        for (auto* run : runs) runs_.erase(std::string(run->row.id));
        return runs.size();
    });
}

void MemoryStore::hold() {
    std::lock_guard lock(mutex_);
    holding_ = true;
}
std::size_t MemoryStore::release(std::size_t n) {
    std::size_t done = 0;
    for (; done < n; ++done) {
        std::unique_lock lock(mutex_);
        if (held_.empty()) break;
        auto give = std::move(held_.front());
        held_.pop_front();
        lock.unlock();
        give();
    }
    return done;
}
void MemoryStore::flow() {
    {
        std::lock_guard lock(mutex_);
        holding_ = false;
    }
    release();
}
std::size_t MemoryStore::held() const {
    std::lock_guard lock(mutex_);
    return held_.size();
}
}
