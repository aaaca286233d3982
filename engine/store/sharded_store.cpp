// A call to several databases collects their answers; the last answer, on whichever thread, completes the call.
#include "engine/store/sharded_store.hpp"
#include "engine/error.hpp"
#include "engine/store/rules.hpp"
#include "engine/terminal.hpp"
#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

namespace weft {
using namespace storage;
namespace {
template <class T> struct ShardAnswer {
    std::exception_ptr error;
    T value{};
};
template <class T> using ShardAnswers = std::vector<ShardAnswer<T>>;
/// Calls `ask(number, then)` for each of so many databases, and `done` with the answers.
template <class T, class Ask>
void ask_all(std::size_t count, const Ask& ask, std::function<void(ShardAnswers<T>)> done) {
    struct Gathering {
        std::mutex mutex;
        ShardAnswers<T> answers;
        std::size_t left = 0;
        std::function<void(ShardAnswers<T>)> done;
    };
    const auto gathering = std::make_shared<Gathering>();
    gathering->answers.resize(count);
    gathering->left = count;
    gathering->done = std::move(done);
    for (std::size_t i = 0; i < count; ++i)
        ask(i, [gathering, i](std::exception_ptr error, T value) {
            std::unique_lock lock(gathering->mutex);
            gathering->answers[i] = {std::move(error), std::move(value)};
            if (--gathering->left > 0) return;
            lock.unlock();
            gathering->done(std::move(gathering->answers));
        });
}
template <class T> std::exception_ptr error_in(const ShardAnswers<T>& answers) {
    for (const auto& answer : answers)
        if (answer.error) return answer.error;
    return nullptr;
}
/// Passes `merge(answers)`, or the first error.
template <class T, class Merge> auto merged(Store::Then<T> then, Merge merge) {
    return [then = std::move(then), merge = std::move(merge)](auto answers) {
        if (auto error = error_in(answers)) return then(std::move(error), T{});
        T value{};
        try {
            value = merge(answers);
        } catch (...) { return then(std::current_exception(), T{}); }
        then(nullptr, std::move(value));
    };
}
Survey sum_of(const ShardAnswers<Survey>& parts) {
    Survey sum;
    std::map<std::tuple<std::string, std::string, std::string, RunStatus>, RunCount> counts;
    std::map<std::string, WorkerRow> workers;
    std::map<std::string, QueueFlow> flows;
    for (const auto& [error, part] : parts) {
        sum.at = std::max(sum.at, part.at);
        for (const auto& count : part.runs) {
            const auto [at, is_new] = counts.try_emplace({count.queue, count.workflow, count.hash, count.status},
                                                         count);
            if (is_new) continue;
            auto& all = at->second;
            all.runs += count.runs;
            all.taken_over += count.taken_over;
            all.oldest = std::min(all.oldest, count.oldest);
            all.sleeping += count.sleeping;
            if (count.next_wake) all.next_wake = std::min(all.next_wake.value_or(*count.next_wake), *count.next_wake);
        }
        for (const auto& worker : part.workers) {
            const auto started = workers.try_emplace(engine_of(worker.id), worker).first->second.started_at;
            auto& all = workers.at(engine_of(worker.id));
            if (worker.lease_until > all.lease_until) all = worker;
            all.started_at = std::min(started, worker.started_at);
        }
        for (const auto& flow : part.flows) {
            const auto [at, is_new] = flows.try_emplace(flow.limits.queue, flow);
            if (is_new) continue;
            auto& all = at->second;
            add_share(all.limits, flow.limits);
            if (flow.starts_left) all.starts_left = all.starts_left.value_or(0) + *flow.starts_left;
            all.running += flow.running;
            all.ready += flow.ready;
            all.held_back += flow.held_back;
        }
    }
    for (auto& [key, count] : counts) sum.runs.push_back(std::move(count));
    for (auto& [engine, worker] : workers) {
        worker.id = engine;
        sum.workers.push_back(std::move(worker));
    }
    for (auto& [queue, flow] : flows) sum.flows.push_back(std::move(flow));
    return sum;
}
}
ShardedStore::ShardedStore(std::vector<Store*> shards, std::vector<std::size_t> sizes)
    : shards_(std::move(shards)), sizes_(sizes.empty() ? std::vector{shards_.size()} : std::move(sizes)) {
    if (shards_.empty() || sizes_.back() != shards_.size() || !std::ranges::is_sorted(sizes_) || sizes_.front() == 0)
        throw Error(Code::usage,
                    "a store of several databases needs at least one, and its sizes end with their number");
}
std::unique_ptr<ShardedStore> ShardedStore::owning(std::vector<std::unique_ptr<Store>> shards,
                                                   std::vector<std::size_t> sizes) {
    std::vector<Store*> pointers;
    for (const auto& shard : shards) pointers.push_back(shard.get());
    auto store = std::make_unique<ShardedStore>(std::move(pointers), std::move(sizes));
    store->owned_ = std::move(shards);
    return store;
}
ShardedStore::~ShardedStore() = default;
// Jump consistent hashing: a place changes only to a new database.
std::size_t ShardedStore::place(std::string_view id, std::size_t size) {
    auto key = chained_sum(0, 0, id);
    std::int64_t at = 0, next = 0;
    while (next < std::int64_t(size)) {
        at = next;
        key = key * 2862933555777941757ULL + 1;
        next = std::int64_t(double(at + 1) * (double(1LL << 31) / double((key >> 33) + 1)));
    }
    return std::size_t(at);
}
std::vector<std::size_t> ShardedStore::places_of(std::string_view run) const {
    std::vector<std::size_t> places;
    for (auto size = sizes_.rbegin(); size != sizes_.rend(); ++size)
        if (const auto at = place(run, *size); !std::ranges::count(places, at)) places.push_back(at);
    return places;
}
void ShardedStore::find_shards(std::vector<std::string> ids, Then<std::vector<std::size_t>> then) {
    std::vector<std::size_t> homes;
    std::vector<Filter> asked(shards_.size());
    bool is_sure = true;
    for (const auto& id : ids) {
        const auto places = places_of(id);
        homes.push_back(places.front());
        is_sure &= places.size() == 1;
        if (places.size() > 1)
            for (const auto place : places) asked[place].ids.push_back(id);
    }
    if (is_sure) return then(nullptr, std::move(homes));
    const auto ask = [&](std::size_t i, Then<std::vector<RunRow>> answer) {
        if (asked[i].ids.empty()) return answer(nullptr, {});
        asked[i].most = asked[i].ids.size();
        shards_[i]->list(std::move(asked[i]), std::move(answer));
    };
    const auto choose = [this, ids = std::move(ids), homes = std::move(homes),
                         then = std::move(then)](const ShardAnswers<std::vector<RunRow>>& answers) mutable {
        std::map<std::string_view, std::size_t> found;
        for (std::size_t i = 0; i < answers.size(); ++i)
            for (const auto& row : answers[i].value) found.emplace(row.id, i);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (const auto at = found.find(ids[i]); at != found.end()) {
                homes[i] = at->second;
                continue;
            }
            for (const auto place : places_of(ids[i]))
                if (answers[place].error) return then(answers[place].error, {});
        }
        then(nullptr, std::move(homes));
    };
    ask_all<std::vector<RunRow>>(shards_.size(), ask, choose);
}
template <class T, class Call> void ShardedStore::with_run(const std::string& run, Then<T> then, Call call) {
    find_shards({run}, [this, then = std::move(then), call = std::move(call)](std::exception_ptr error,
                                                                              std::vector<std::size_t> at) mutable {
        if (error) return then(std::move(error), T{});
        call(*shards_[at.front()], std::move(then));
    });
}
void ShardedStore::check_place(const NewRun& run) const {
    const bool fits = (run.start_key.empty() || run.id == run.plan.workflow + ':' + run.start_key) &&
                      (run.debounce.empty() || shard_of(run.id) == shard_of(run.debounce));
    if (!fits)
        throw Error(Code::usage, "the id " + run.id +
                                     " does not follow from the key of its run, so another database of "
                                     "the store could have a run with this key: start the run by an engine");
}
void ShardedStore::create(NewRun run, Then<CreateReply> then) {
    try {
        check_place(run);
    } catch (...) { return then(std::current_exception(), {}); }
    const auto id = run.id;
    with_run(id, std::move(then),
             [run = std::move(run)](Store& at, auto next) mutable { at.create(std::move(run), std::move(next)); });
}
void ShardedStore::create_all(std::vector<NewRun> runs, Then<std::vector<CreateReply>> then) {
    try {
        check_runs(runs);
        for (const auto& run : runs) check_place(run);
    } catch (...) { return then(std::current_exception(), {}); }
    std::vector<std::string> ids;
    for (const auto& run : runs) ids.push_back(run.id);
    find_shards(std::move(ids), [this, runs = std::move(runs), then = std::move(then)](
                                    std::exception_ptr error, std::vector<std::size_t> at) mutable {
        if (error) return then(std::move(error), {});
        std::vector<std::vector<NewRun>> parts(shards_.size());
        for (std::size_t i = 0; i < runs.size(); ++i) parts[at[i]].push_back(std::move(runs[i]));
        const auto ask = [&](std::size_t i, Then<std::vector<CreateReply>> answer) {
            if (parts[i].empty()) return answer(nullptr, {});
            shards_[i]->create_all(std::move(parts[i]), std::move(answer));
        };
        const auto merge = [at = std::move(at)](ShardAnswers<std::vector<CreateReply>>& answers) {
            std::vector<std::size_t> next(answers.size());
            std::vector<CreateReply> replies;
            for (const auto shard : at) replies.push_back(std::move(answers[shard].value.at(next[shard]++)));
            return replies;
        };
        ask_all<std::vector<CreateReply>>(shards_.size(), ask, merged(std::move(then), merge));
    });
}
void ShardedStore::append(Batch batch, Then<AppendReply> then) {
    const auto id = batch.run;
    with_run(id, std::move(then), [batch = std::move(batch)](Store& at, auto next) mutable {
        at.append(std::move(batch), std::move(next));
    });
}
void ShardedStore::load(std::string run, Then<History> then, std::uint64_t from) {
    with_run(run, std::move(then), [run, from](Store& at, auto next) { at.load(run, std::move(next), from); });
}
void ShardedStore::load_mail(std::string run, Then<std::vector<Mail>> then) {
    with_run(run, std::move(then), [run](Store& at, auto next) { at.load_mail(run, std::move(next)); });
}
void ShardedStore::write_log(LogEntries entries, Then<LogReply> then) {
    const auto id = entries.run;
    with_run(id, std::move(then), [entries = std::move(entries)](Store& at, auto next) mutable {
        at.write_log(std::move(entries), std::move(next));
    });
}
void ShardedStore::read_log(std::string run, std::uint64_t from, std::size_t most, Then<LogPart> then,
                            std::size_t bytes) {
    with_run(run, std::move(then), [=](Store& at, auto next) { at.read_log(run, from, most, std::move(next), bytes); });
}
void ShardedStore::plan(std::string hash, Then<StoredPlan> then) {
    const auto ask = [&](std::size_t i, Then<StoredPlan> answer) { shards_[i]->plan(hash, std::move(answer)); };
    const auto choose = [then = std::move(then)](ShardAnswers<StoredPlan> answers) {
        std::exception_ptr error;
        for (auto& answer : answers) {
            if (!answer.error) return then(nullptr, std::move(answer.value));
            if (!error || code_of(error) == Code::usage) error = answer.error;  // one that is away may have it
        }
        then(error, {});
    };
    ask_all<StoredPlan>(shards_.size(), ask, choose);
}
void ShardedStore::send(Mail mail, Then<SendReply> then) {
    const auto id = mail.run;
    with_run(id, std::move(then),
             [mail = std::move(mail)](Store& at, auto next) mutable { at.send(std::move(mail), std::move(next)); });
}
void ShardedStore::claim(ClaimRequest request, Then<std::vector<RunRow>> then) {
    struct ClaimInTurn {
        ShardedStore& store;
        ClaimRequest request;
        Then<std::vector<RunRow>> then;
        std::vector<RunRow> rows;
        void go_on(std::size_t i, const std::shared_ptr<ClaimInTurn>& self) {
            if (i == store.shards_.size() || rows.size() >= request.most) return then(nullptr, std::move(rows));
            auto part = request;
            part.most -= rows.size();
            if (!part.ids.empty())
                std::erase_if(part.ids, [&](auto& id) { return !std::ranges::count(store.places_of(id), i); });
            if (!request.ids.empty() && part.ids.empty()) return go_on(i + 1, self);
            store.shards_[i]->claim(std::move(part), [self, i](std::exception_ptr error, std::vector<RunRow> more) {
                if (error && self->rows.empty()) return self->then(std::move(error), {});
                std::ranges::move(more, std::back_inserter(self->rows));
                self->go_on(error ? self->store.shards_.size() : i + 1, self);
            });
        }
    };
    const std::shared_ptr<ClaimInTurn> turn(new ClaimInTurn{*this, std::move(request), std::move(then), {}});
    turn->go_on(0, turn);
}
void ShardedStore::heartbeat(Heartbeat worker, Then<HeartbeatReply> then) {
    const auto ask = [&](std::size_t i, Then<HeartbeatReply> answer) {
        shards_[i]->heartbeat(worker, std::move(answer));
    };
    const auto merge = [](ShardAnswers<HeartbeatReply>& answers) {
        auto all = std::move(answers.front().value);
        for (std::size_t i = 1; i < answers.size(); ++i) {
            all.alive &= answers[i].value.alive;
            std::ranges::move(answers[i].value.inboxes, std::back_inserter(all.inboxes));
        }
        return all;
    };
    ask_all<HeartbeatReply>(shards_.size(), ask, merged(std::move(then), merge));
}
// A database gets the ids of a filter that it may have; nothing to ask: an empty optional.
std::vector<std::optional<Filter>> ShardedStore::parts_of(const Filter& filter) const {
    std::vector<std::optional<Filter>> parts(shards_.size(), filter);
    if (filter.ids.empty()) return parts;
    for (auto& part : parts) part->ids.clear();
    for (const auto& id : filter.ids)
        for (const auto place : places_of(id)) parts[place]->ids.push_back(id);
    for (auto& part : parts)
        if (part->ids.empty()) part.reset();
    return parts;
}
void ShardedStore::list(Filter filter, Then<std::vector<RunRow>> then) {
    auto parts = parts_of(filter);
    const auto ask = [&](std::size_t i, Then<std::vector<RunRow>> answer) {
        if (!parts[i]) return answer(nullptr, {});
        shards_[i]->list(*std::move(parts[i]), std::move(answer));
    };
    const auto merge = [most = filter.most](ShardAnswers<std::vector<RunRow>>& answers) {
        std::vector<RunRow> rows;
        for (auto& answer : answers) std::ranges::move(answer.value, std::back_inserter(rows));
        std::ranges::stable_sort(rows, std::greater<>(), &RunRow::created_at);
        if (rows.size() > most) rows.resize(most);
        return rows;
    };
    auto done = merged(then, merge);
    // A run that one database has is in no other one, so an error of these hides nothing.
    const auto check = [ids = std::move(filter.ids), done](ShardAnswers<std::vector<RunRow>> answers) {
        std::size_t found = 0;
        for (const auto& answer : answers) found += answer.value.size();
        if (!ids.empty() && found == ids.size())
            for (auto& answer : answers) answer.error = nullptr;
        done(std::move(answers));
    };
    ask_all<std::vector<RunRow>>(shards_.size(), ask, check);
}
void ShardedStore::prune(Filter filter, Then<std::uint64_t> then) {
    auto parts = parts_of(filter);
    const auto ask = [&](std::size_t i, Then<std::uint64_t> answer) {
        if (!parts[i]) return answer(nullptr, 0);
        shards_[i]->prune(*std::move(parts[i]), std::move(answer));
    };
    const auto merge = [](ShardAnswers<std::uint64_t>& answers) {
        std::uint64_t sum = 0;
        for (const auto& answer : answers) sum += answer.value;
        return sum;
    };
    ask_all<std::uint64_t>(shards_.size(), ask, merged(std::move(then), merge));
}
void ShardedStore::set_limits(QueueLimits limits, Then<bool> then) {
    std::vector<QueueLimits> shares;
    try {
        shares = shares_of(limits, shards_.size());
    } catch (...) { return then(std::current_exception(), false); }
    const auto ask = [&](std::size_t i, Then<bool> answer) {
        shards_[i]->set_limits(std::move(shares[i]), std::move(answer));
    };
    ask_all<bool>(shards_.size(), ask, merged(std::move(then), [](auto&) { return true; }));
}
void ShardedStore::set_model_limit(ModelLimit limit, Then<bool> then) {
    shards_.front()->set_model_limit(std::move(limit), std::move(then));
}
void ShardedStore::model_limits(Then<std::vector<ModelFlow>> then) { shards_.front()->model_limits(std::move(then)); }
void ShardedStore::take_quota(QuotaRequest request, Then<QuotaReply> then) {
    shards_.front()->take_quota(std::move(request), std::move(then));
}
void ShardedStore::survey(Then<Survey> then) {
    const auto ask = [&](std::size_t i, Then<Survey> answer) { shards_[i]->survey(std::move(answer)); };
    ask_all<Survey>(shards_.size(), ask, merged(std::move(then), [](auto& answers) { return sum_of(answers); }));
}
std::shared_ptr<void> ShardedStore::on_hint(Hint act) {
    auto subscriptions = std::make_shared<std::vector<std::shared_ptr<void>>>();
    for (auto* shard : shards_)
        if (auto one = shard->on_hint(act)) subscriptions->push_back(std::move(one));
    if (subscriptions->empty()) return nullptr;
    return subscriptions;
}
}
