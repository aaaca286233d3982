// Answers come from the store's threads: they hold the run and knock at its loop's mailbox.
#include "engine/core/run_log.hpp"
#include "engine/core/loop/diagnosis.hpp"
#include "engine/core/loop/loop.hpp"
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/loop/run_handle.hpp"
#include "engine/error.hpp"
#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

namespace weft::core {
using namespace storage;
using durability::Delivery;
using durability::Input;
namespace {
void tell(const CoreRef& root, const std::weak_ptr<RunLog>& of, std::exception_ptr error, bool fenced) {
    hear(root, [root, of, error, fenced] {
        const auto log = of.lock();
        if (Loop* loop = root->loop; loop && log) loop->store_answered(*log, error, fenced);
    });
}
}
void hear(const CoreRef& run, std::function<void()> work) {
    if (hears_at_once(*run)) work();
    else run->mailbox->post(std::move(work));
}
Batch given_back(std::string run, std::uint64_t epoch, std::uint64_t next_seq) {
    Batch batch;
    batch.run = std::move(run);
    batch.epoch = epoch;
    batch.seq = next_seq;
    batch.left = Left();
    return batch;
}
Batch RunLog::batch() const {
    Batch batch;
    batch.run = id;
    batch.epoch = epoch;
    batch.seq = next_;
    return batch;
}
std::uint64_t RunLog::append(std::string body, std::vector<std::string> mail, std::optional<Left> left,
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
    batch.ticks.push_back({seq, std::move(body), sum_});
    batch.mail = std::move(mail);
    batch.plan = std::move(plan);
    batch.snapshot = std::move(snapshot);
    const bool ends = left.has_value();
    batch.left = std::move(left);
    if (state.says_idle) batch.waits_for = "";
    unstored.push_back(std::move(batch));
    root.loop.load()->apply(*this, {ends ? Input::end : Input::tick});
    return seq;
}
void RunLog::note(std::string waits_for) {
    auto& batch = unstored.emplace_back(this->batch());
    batch.waits_for = std::move(waits_for);
}
void RunLog::finish(Left left) {
    auto& batch = unstored.emplace_back(this->batch());
    batch.left = std::move(left);
    root.loop.load()->apply(*this, {Input::end});
}
durability::Batch RunLog::oldest() const {
    assert(is_over(state) || unstored.size() == state.batches + state.notes);
    if (unstored.empty() || !unstored.front().ticks.empty()) return durability::Batch::ticks;
    return unstored.front().left ? durability::Batch::end : durability::Batch::note;
}
void RunLog::drop_oldest() {
    assert(!unstored.empty() && stored + unstored.front().ticks.size() <= next_);
    stored += unstored.front().ticks.size();
    unstored.pop_front();
    birth.reset();
}
// Mail that has come meanwhile keeps the run with its owner: then it is made ready, so that it is claimed again.
void RunLog::park(std::optional<std::int64_t> wake_at) {
    auto batch = this->batch();
    batch.left = Left{.status = RunStatus::waiting, .wake_at = wake_at, .outcome = {}, .mail = mail_known};
    store.append(std::move(batch), [&store = store, ids = ids,
                                    again = given_back(id, epoch, next_)](std::exception_ptr error, Appended appended) {
        if (error) ids->left_behind = true;
        else if (appended == Appended::has_mail)
            store.append(again, [ids](std::exception_ptr failed, Appended) {
                if (failed) ids->left_behind = true;
            });
    });
}
void RunLog::give_back() {
    store.append(given_back(id, epoch, next_), [ids = ids](std::exception_ptr error, Appended) {
        if (error) ids->left_behind = true;
    });
}
void RunLog::send(const Batch& batch) {
    decide(state, {Input::sent});
    const Asking asking(root.loop.load());
    if (birth && batch.seq == 0) {
        NewRun run = *birth;
        run.ticks = batch.ticks;
        const bool is_detached = run.owner.empty();
        std::optional<Batch> rest;  // that a creation does not take: a run may end with its first tick
        if (batch.left || !batch.mail.empty()) {
            rest = batch;
            rest->seq += std::exchange(rest->ticks, {}).size();
        }
        return store.create(std::move(run), [&store = store, is_detached, core = CoreRef(&root), log = weak_from_this(),
                                             rest = std::move(rest)](std::exception_ptr error, Created created) {
            if (!error && !created.is_new && !is_detached) {
                const auto hear = [core, id = created.id] {
                    if (Loop* loop = core->loop) loop->begun_elsewhere(*core, id);
                };
                core->mailbox->post(hear);  // later: it makes a new log, and this one may be on the stack
                return;
            }
            if (error || !rest || is_detached) return tell(core, log, error, false);
            store.append(*rest, [core, log](std::exception_ptr error, Appended appended) {
                tell(core, log, error, appended == Appended::fenced);
            });
        });
    }
    store.append(batch, [core = CoreRef(&root), log = weak_from_this()](std::exception_ptr error, Appended appended) {
        tell(core, log, error, appended == Appended::fenced);
    });
}
void RunLog::tell_stored() {
    const auto is_stored = [&](auto& wish) { return wish.before <= stored; };
    const auto first = std::stable_partition(wishes.begin(), wishes.end(), std::not_fn(is_stored));
    const std::vector<Wish> heard(first, wishes.end());
    wishes.erase(first, wishes.end());
    for (auto& wish : heard) wish.tell(nullptr);
}
void RunLog::tell_all(const std::exception_ptr& error) {
    for (auto& wish : std::exchange(wishes, {})) wish.tell(error);
}
void RunLog::send_all() {
    const std::vector<Batch> batches(unstored.begin(), unstored.end());  // an answer may come within the call
    for (auto& batch : batches)
        if (!is_over(state) && state.delivery == Delivery::flowing) send(batch);
}
}
