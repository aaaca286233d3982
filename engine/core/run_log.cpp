// The store's threads answer. An answer holds a reference to the run, and goes through the mailbox of the run's loop.
#include "engine/core/run_log.hpp"
#include "engine/core/loop/diagnosis.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/core/record.hpp"
#include "engine/core/sleep.hpp"
#include "engine/error.hpp"
#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace weft::core {
using namespace storage;
using durability::Delivery;
using durability::Input;
std::optional<std::int64_t> wake_time(const RunLog& log) {
    const auto& clock = *log.root.loop.load()->runtime().clock;
    const auto now = clock.now();
    const WallTime date{WallTime::duration(wall_us(log.root))};
    std::optional<WallTime> first;
    const auto add = [&](WallTime at) { first = first ? std::min(*first, at) : at; };
    const auto add_timer = [&](Clock::Time at) {
        add(date + std::min(std::chrono::ceil<WallTime::duration>(at - now), WallTime::max() - date));
    };
    for (const auto* run : log.family) {
        const auto& x = *run->extras;
        if (x.deadline.is_set()) add_timer(x.deadline.at);
        for (auto* r = x.retries; r; r = r->next) add_timer(r->at);
        for (auto* s = x.sleeps; s; s = s->next) add(s->until());
    }
    if (!first) return {};
    return first->time_since_epoch().count();
}
Batch given_back(std::string run, std::uint64_t epoch, std::uint64_t next_seq) {
    Batch batch;
    batch.run = std::move(run);
    batch.epoch = epoch;
    batch.seq = next_seq;
    batch.left = RunRelease();
    return batch;
}
Batch RunLog::batch() const {
    Batch batch;
    batch.run = id;
    batch.epoch = epoch;
    batch.seq = next_;
    return batch;
}
std::uint64_t RunLog::append(std::string body, std::vector<std::string> mail, std::optional<RunRelease> left,
                             std::optional<StoredPlan> plan, std::optional<Snapshot> snapshot) {
    if (!durability::is_recorded(state)) return next_;
    auto batch = this->batch();
    sum_ = sum_of_next(body);
    const auto seq = next_++;
    bytes += body.size();
    if (snapshot) {
        snapshot_at = snapshot->upto;
        snapshot_bytes = snapshot->body.size();
        bytes = 0;
    }
    batch.begins_again = std::exchange(begins_again_, false);
    batch.ticks.push_back({seq, std::move(body), sum_});
    batch.mail = std::move(mail);
    batch.plan = std::move(plan);
    batch.snapshot = std::move(snapshot);
    const bool ends = left.has_value();
    batch.left = std::move(left);
    if (state.says_idle) batch.waits_for = "";
    unstored.push_back(std::move(batch));
    root.loop.load()->keeper().apply(*this, {ends ? Input::end : Input::tick});
    return seq;
}
bool RunLog::is_new_mail(const std::string& mail) { return !mail_before_.contains(mail) && mail_.insert(mail).second; }
void RunLog::begin_again() {
    mail_before_ = std::exchange(mail_, {});
    ++root.extras->laps;
    first_ = snapshot_at = next_;
    sum_ = snapshot_bytes = bytes = 0;
    begins_again_ = true;
    plans.clear();  // the earlier ticks had their texts
    children.clear();
}
void RunLog::note() {
    auto& batch = unstored.emplace_back(this->batch());
    batch.waits_for = what_is_awaited(root);
}
void RunLog::finish(RunRelease left) {
    auto& batch = unstored.emplace_back(this->batch());
    batch.left = std::move(left);
    root.loop.load()->keeper().apply(*this, {Input::end});
}
durability::BatchContent RunLog::oldest() const {
    assert(is_over(state) || unstored.size() == state.batches + state.notes);
    if (unstored.empty() || !unstored.front().ticks.empty()) return durability::BatchContent::ticks;
    return unstored.front().left ? durability::BatchContent::end : durability::BatchContent::note;
}
void RunLog::drop_oldest() {
    assert(!unstored.empty() && stored + unstored.front().ticks.size() <= next_);
    stored += unstored.front().ticks.size();
    unstored.pop_front();
    birth.reset();
}
// Unknown mail keeps the run with its owner. A second call then makes the run ready, so that it is claimed again.
void RunLog::park() {
    auto batch = this->batch();
    if (!root.idle()) batch.waits_for = what_is_awaited(root);  // it sleeps; an idle run has said it before
    batch.left = RunRelease{
        .status = RunStatus::waiting, .wake_at = wake_time(*this), .outcome = {}, .mail = mail_known};
    store().append(std::move(batch), [shard = shard, again = given_back(id, epoch, next_)](std::exception_ptr error,
                                                                                           AppendReply appended) {
        if (error) shard->left_behind = true;
        else if (appended == AppendReply::has_mail)
            shard->store->append(again, [shard](std::exception_ptr failed, AppendReply) {
                if (failed) shard->left_behind = true;
            });
    });
}
void RunLog::give_back(std::uint64_t next) {
    store().append(given_back(id, epoch, next), [shard = shard](std::exception_ptr error, AppendReply) {
        if (error) shard->left_behind = true;
    });
}
void RunLog::send(const Batch& batch) {
    decide(state, {Input::sent});
    const StoreCallScope asking(root.loop.load());
    const auto tell = [core = CoreRef(&root), of = weak_from_this()](std::exception_ptr error, AppendReply appended) {
        hear(core, [core, of, error, fenced = appended == AppendReply::fenced] {
            const auto log = of.lock();
            if (LoopCore* loop = core->loop; loop && log) loop->keeper().store_answered(*log, error, fenced);
        });
    };
    if (birth && batch.seq == 0 && is_looked_for)
        return look_for([this, batch, tell](const std::exception_ptr& error) {
            if (error) return tell(error, AppendReply::stored);
            if (!birth->owner.empty()) birth->owner = lease().holder().owner;
            create(batch, tell);
        });
    if (birth && batch.seq == 0) return create(batch, tell);
    store().append(batch, tell);
}
void RunLog::look_for(std::function<void(const std::exception_ptr&)> then) {
    auto& keeper = root.loop.load()->keeper();
    keeper.store()->find_shards({id}, [core = CoreRef(&root), of = weak_from_this(),
                                       then = std::move(then)](std::exception_ptr error, std::vector<std::size_t> at) {
        core->mailbox->post([core, of, then, error, number = at.empty() ? 0 : at.front()] {
            LoopCore* loop = core->loop;
            const auto log = of.lock();
            if (!loop || !log || is_over(log->state)) return;
            log->is_looked_for = error != nullptr;
            log->shard = loop->keeper().shards().at(number);
            log->lease_number = log->lease().holder().number;
            then(error);
        });
    });
}
void RunLog::create(const Batch& batch, const std::function<void(std::exception_ptr, AppendReply)>& tell) {
    NewRun run = *birth;
    run.ticks = batch.ticks;
    const bool is_detached = state.is_detached, is_delayed = run.not_before.has_value();
    std::optional<Batch> rest;  // data that create() does not take: a run may end with its first tick
    if (batch.left || !batch.mail.empty()) {
        rest = batch;
        rest->seq += std::exchange(rest->ticks, {}).size();
    }
    store().create(std::move(run), [&store = store(), is_detached, is_delayed, core = CoreRef(&root), tell,
                                    rest = std::move(rest)](std::exception_ptr error, CreateReply created) {
        if (!error && (!created.is_new || is_delayed) && !is_detached) {
            const auto hear = [core, is_delayed, id = created.id] {
                LoopCore* loop = core->loop;
                if (!loop) return;
                auto& found = *core->extras->track->log;
                found.id = id;
                if (is_delayed) found.tell_delayed();
                loop->keeper().apply(found, {Input::elsewhere});
            };
            core->mailbox->post(hear);  // later: it replaces this log, which may be on the stack
            return;
        }
        if (error || !rest || is_detached) return tell(error, AppendReply::stored);
        store.append(*rest, tell);
    });
}
void RunLog::tell_stored() {
    const auto is_stored = [&](auto& callback) { return callback.before <= stored; };
    const auto first = std::stable_partition(callbacks.begin(), callbacks.end(), std::not_fn(is_stored));
    const std::vector<StoredCallback> due(first, callbacks.end());
    callbacks.erase(first, callbacks.end());
    for (auto& callback : due) callback.tell(nullptr);
}
// Input that waits in memory for the run's begin is not stored yet.
void RunLog::tell_delayed() {
    is_delayed = true;
    if (root.extras->track->late.empty()) tell_all(nullptr);
}
void RunLog::tell_all(const std::exception_ptr& error) {
    for (auto& callback : std::exchange(callbacks, {})) callback.tell(error);
}
void RunLog::send_all() {
    const std::vector<Batch> batches(unstored.begin(), unstored.end());  // an answer may come within the call
    for (auto& batch : batches)
        if (!is_over(state) && state.delivery == Delivery::flowing) send(batch);
}
void RunLog::end_at_limit() {
    if (next_ - first_ + 1 < most_ticks || is_over(state)) return;  // the run's end is a tick, too
    root.loop.load()->fail_run(
        root, std::make_exception_ptr(
                  Error(Code::journal, "run " + id + " has made " + std::to_string(most_ticks) +
                                           " ticks, and a stored run has no more: let it begin again before by "
                                           "ctx.begin_again, or start further runs for parts of the work")));
}
void RunLog::hold_back(RunCore& run, std::size_t first_command) {
    run.asked = run.state.asked;
    if (!run.commands || !run.streams()) return;
    for (auto i = first_command; i < run.commands->size(); ++i) {
        const Command& c = (*run.commands)[i];
        if (c.kind == Command::publish)
            held.push_back({&run, nullptr, c.cell, question_id(c.token, c.serial), required});
        if (c.kind != Command::unhandled) continue;
        const std::string name(run.definition->events[c.step].name);
        PublishedBox event(new Published::Of<UnhandledEvent>({.event = name}));
        held.push_back({.run = &run, .event = std::move(event), .need = required});
    }
}
// The condition is the same as in Track::waits, so a question is published before its cell is released.
void RunLog::tell_held() {
    if (is_telling) return;  // a reader of an event may cause more events, which follow it
    struct Telling {
        RunLog& log;
        explicit Telling(RunLog& l) : log(l) { log.is_telling = true; }
        ~Telling() { log.is_telling = false; }
    };
    const auto keep = shared_from_this();
    const Telling telling(*this);
    while (!held.empty() && held.front().need <= stored) {
        auto next = std::move(held.front());
        held.pop_front();
        const CoreRef run(next.run);
        if (next.event) run->tell(std::move(next.event));
        else run->tell_question(next.cell, next.question);
    }
}
void RunLog::tell_rest() {
    for (auto& left : std::exchange(held, {})) {
        const CoreRef run(left.run);
        if (left.event && left.need <= stored) run->tell(std::move(left.event));
    }
}
}
