// Each call becomes two functions. They copy its arguments, because a derived store may execute the call later.
#include "engine/store/forwarding_store.hpp"

namespace weft {
using namespace storage;
template <class T, class Call> void ForwardingStore::forward(Then<T> then, Call call, bool writes) {
    StoreCall passed;
    passed.execute = [then, call = std::move(call)](Store& to,
                                                    const std::function<void(StoreCall::GiveAnswer)>& give) mutable {
        call(to, [then, give](std::exception_ptr error, T value) {
            give([then, error = std::move(error), value = std::move(value)] { then(error, value); });
        });
    };
    passed.fail = [then = std::move(then)](std::exception_ptr error) { then(std::move(error), T{}); };
    passed.writes = writes;
    pass(std::move(passed));
}
void ForwardingStore::create(NewRun run, Then<CreateReply> then) {
    forward(
        std::move(then), [run = std::move(run)](Store& to, auto next) mutable { to.create(std::move(run), next); },
        true);
}
void ForwardingStore::create_all(std::vector<NewRun> runs, Then<std::vector<CreateReply>> then) {
    forward(
        std::move(then),
        [runs = std::move(runs)](Store& to, auto next) mutable { to.create_all(std::move(runs), next); }, true);
}
void ForwardingStore::append(Batch batch, Then<AppendReply> then) {
    forward(
        std::move(then),
        [batch = std::move(batch)](Store& to, auto next) mutable { to.append(std::move(batch), next); }, true);
}
void ForwardingStore::load(std::string run, Then<History> then, std::uint64_t from) {
    forward(std::move(then),
            [run = std::move(run), from](Store& to, auto next) mutable { to.load(std::move(run), next, from); });
}
void ForwardingStore::load_mail(std::string run, Then<std::vector<Mail>> then) {
    forward(std::move(then),
            [run = std::move(run)](Store& to, auto next) mutable { to.load_mail(std::move(run), next); });
}
void ForwardingStore::write_log(LogEntries entries, Then<LogReply> then) {
    forward(
        std::move(then),
        [entries = std::move(entries)](Store& to, auto next) mutable { to.write_log(std::move(entries), next); }, true);
}
void ForwardingStore::read_log(std::string run, std::uint64_t from, std::size_t most, Then<LogPart> then,
                               std::size_t bytes) {
    forward(std::move(then), [run = std::move(run), from, most, bytes](Store& to, auto next) mutable {
        to.read_log(std::move(run), from, most, next, bytes);
    });
}
void ForwardingStore::plan(std::string hash, Then<StoredPlan> then) {
    forward(std::move(then),
            [hash = std::move(hash)](Store& to, auto next) mutable { to.plan(std::move(hash), next); });
}
void ForwardingStore::send(Mail mail, Then<SendReply> then) {
    forward(
        std::move(then), [mail = std::move(mail)](Store& to, auto next) mutable { to.send(std::move(mail), next); },
        true);
}
void ForwardingStore::claim(ClaimRequest claim, Then<std::vector<RunRow>> then) {
    forward(
        std::move(then), [claim = std::move(claim)](Store& to, auto next) mutable { to.claim(std::move(claim), next); },
        true);
}
void ForwardingStore::heartbeat(Heartbeat worker, Then<HeartbeatReply> then) {
    forward(std::move(then),
            [worker = std::move(worker)](Store& to, auto next) mutable { to.heartbeat(std::move(worker), next); });
}
void ForwardingStore::list(Filter filter, Then<std::vector<RunRow>> then) {
    forward(std::move(then),
            [filter = std::move(filter)](Store& to, auto next) mutable { to.list(std::move(filter), next); });
}
void ForwardingStore::set_limits(QueueLimits limits, Then<bool> then) {
    forward(std::move(then),
            [limits = std::move(limits)](Store& to, auto next) mutable { to.set_limits(std::move(limits), next); });
}
void ForwardingStore::set_model_limit(ModelLimit limit, Then<bool> then) {
    forward(std::move(then),
            [limit = std::move(limit)](Store& to, auto next) mutable { to.set_model_limit(std::move(limit), next); });
}
void ForwardingStore::model_limits(Then<std::vector<ModelFlow>> then) {
    forward(std::move(then), [](Store& to, auto next) { to.model_limits(next); });
}
void ForwardingStore::take_quota(QuotaRequest request, Then<QuotaReply> then) {
    forward(std::move(then),
            [request = std::move(request)](Store& to, auto next) mutable { to.take_quota(std::move(request), next); });
}
void ForwardingStore::survey(Then<Survey> then) {
    forward(std::move(then), [](Store& to, auto next) { to.survey(next); });
}
void ForwardingStore::prune(Filter filter, Then<std::uint64_t> then) {
    forward(std::move(then),
            [filter = std::move(filter)](Store& to, auto next) mutable { to.prune(std::move(filter), next); });
}
}
