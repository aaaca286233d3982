// A drawn call is fixed before it is made, so that each store gets the same one.
#include "tests/engine/store/random_calls.hpp"
#include "engine/json.hpp"
#include "tests/engine/store/stores.hpp"
#include <algorithm>
#include <cmath>

namespace stores {
namespace {
template <class T> std::string text_of(const T& value) { return to_json(value).dump(); }
std::string text_of(bool) { return "done"; }  // such an answer says nothing
std::string text_of(std::vector<Mail> all) {
    for (auto& mail : all) mail.is_urgent = false;  // a store keeps no more than the effect
    return to_json(all).dump();
}
std::string text_of(History history) {
    const auto mail = text_of(std::exchange(history.mail, {}));
    return mail + to_json(history).dump();
}
std::string text_of(HeartbeatReply reply) {
    reply.at = 0;  // a store in a file does not tell its time
    std::ranges::sort(reply.inboxes, {}, &HeartbeatReply::InboxCount::run);
    return to_json(reply).dump();
}
std::string text_of(Survey survey) {
    for (auto& worker : survey.workers) worker.started_at = 0;  // a store may forget a worker whose lease is over
    for (auto& flow : survey.flows)
        if (flow.starts_left) *flow.starts_left = std::nearbyint(*flow.starts_left * 1000) / 1000;
    return to_json(survey).dump();
}
/// A call whose answer is a T. `act` passes a copy of the request to the store.
template <class T, class Request, class Act> RandomCall call_of(const std::string& name, Request request, Act act) {
    auto what = name + ' ' + text_of(request);
    auto ask = [request = std::move(request), act](Store& store) {
        try {
            return text_of(answer_of<T>([&](auto then) { act(store, request, std::move(then)); }));
        } catch (const Error& error) { return std::string(weft::name(error.code())) + ": " + error.what(); }
    };
    return {std::move(what), std::move(ask)};
}
template <class T> void keep(std::vector<T>& last, const T& one) {
    if (last.size() == 5) last.erase(last.begin());
    last.push_back(one);
}
}
std::vector<std::string> RandomCalls::some(const std::string& prefix, std::uint64_t n) {
    std::vector<std::string> names;
    if (happens(70)) return names;
    for (auto count = 1 + below(3); count > 0; --count) names.push_back(one_of(prefix, n));
    return names;
}
std::string RandomCalls::tick_body() {
    const auto number = std::to_string(++texts_);
    if (happens(20)) return "tick " + number;
    return R"({"at":)" + number + R"(,"values":{"tenant":")" + one_of("t", 3) + R"("}})";
}
StoredPlan RandomCalls::plan() {
    const auto workflow = happens(80) ? "refund" : "claims";
    const auto hash = workflow + one_of("-", 2);
    return {.hash = hash, .workflow = workflow, .plan = R"({"of":")" + hash + "\"}"};
}
NewRun RandomCalls::new_run(std::int64_t now) {
    NewRun made;
    made.id = run();
    if (happens(20)) made.start_key = one_of("k", 3);
    made.plan = plan();
    made.options = R"({"model":"m)" + std::to_string(below(2)) + "\"}";
    if (happens(5)) made.forked_from = run();
    made.queue = one_of("q", 3);
    made.priority = int(below(3)) - 1;
    if (happens(40)) made.owner = one_of("w", 4);
    if (happens(3)) made.options.clear();
    if (made.owner.empty() && happens(30)) made.not_before = time_near(now);
    const auto first = happens(10) ? below(4) : 0;
    std::vector<std::string> texts;
    for (auto count = happens(85) ? 1 : below(4); count > 0; --count) texts.push_back(tick_body());
    made.ticks = ticks(first, texts);
    if (happens(20)) {
        made.debounce = one_of("d", 2);
        made.longest = std::int64_t(below(10)) * 1'000'000;
        if (happens(90)) {  // else it is refused
            made.owner.clear();
            made.start_key.clear();
            made.forked_from.clear();
            made.not_before = time_near(now);
            made.ticks = ticks(0, {tick_body()});
        }
    }
    return made;
}
RandomCall RandomCalls::create(std::int64_t now) {
    auto made = new_run(now);
    if (!created_.empty() && happens(25)) made = created_[below(created_.size())];
    keep(created_, made);
    return call_of<CreateReply>("create", std::move(made),
                                [](Store& store, const NewRun& run, auto then) { store.create(run, std::move(then)); });
}
RandomCall RandomCalls::create_all(std::int64_t now) {
    std::vector<NewRun> runs;
    const auto declaration = plan();
    const bool is_right = happens(90);
    for (auto count = 1 + below(4); count > 0; --count) {
        auto made = new_run(now);
        if (is_right) {
            made.plan = declaration;
            made.owner.clear();
            made.forked_from.clear();
            made.debounce.clear();
            made.ticks = ticks(0, {tick_body()});
        }
        runs.push_back(std::move(made));
    }
    return call_of<std::vector<CreateReply>>(
        "create_all", std::move(runs),
        [](Store& store, const std::vector<NewRun>& all, auto then) { store.create_all(all, std::move(then)); });
}
Batch RandomCalls::batch(Store& known, std::int64_t now) {
    Batch made;
    made.run = run();
    const auto rows = stores::list(known, {.ids = {made.run}});
    if (rows.empty()) {
        made.epoch = below(2);
        made.ticks = ticks(0, {tick_body()});
        return made;
    }
    const auto history = load(known, made.run);
    made.epoch = history.run.epoch - (history.run.epoch > 0 && happens(7));
    made.seq = history.run.next_seq + happens(2);
    std::vector<std::string> texts;
    for (auto count = below(4); count > 0; --count) texts.push_back(tick_body());
    const auto before = history.ticks.empty() ? 0 : history.ticks.back().sum;
    if (happens(8)) {
        made.begins_again = true;
        made.ticks = ticks(made.seq, {tick_body()});
        return made;
    }
    made.ticks = ticks(made.seq, texts, before);
    for (auto& mail : history.mail)
        if (happens(50)) made.mail.push_back(mail.id);
    if (!texts.empty() && happens(20)) {
        made.snapshot = Snapshot{.upto = made.seq + texts.size(), .body = one_of("state", 1000), .sum = 0};
        made.snapshot->sum = chained_sum(0, made.snapshot->upto, made.snapshot->body);
    }
    if (happens(10)) made.plan = plan();
    if (happens(25)) made.waits_for = happens(50) ? "" : "an answer";
    if (happens(45)) {
        made.left.emplace();
        made.left->status = std::vector{
            RunStatus::ready,   RunStatus::ready, RunStatus::waiting, RunStatus::waiting,
            RunStatus::waiting, RunStatus::done,  RunStatus::failed,  RunStatus::cancelled}[below(8)];
        if (made.left->status == RunStatus::waiting) {
            if (happens(50)) made.left->wake_at = time_near(now);
            made.left->mail = history.run.mail - (history.run.mail > 0 && happens(30));
        }
        if (has_ended(made.left->status)) made.left->outcome = R"({"end":)" + std::to_string(below(3)) + "}";
    }
    return made;
}
RandomCall RandomCalls::append(Store& known, std::int64_t now) {
    auto made = batch(known, now);
    if (!stored_.empty() && happens(25)) {  // again, or with other content, or with more
        made = stored_[below(stored_.size())];
        if (!made.ticks.empty() && happens(10)) {
            made.ticks.back().body = tick_body();
            made.ticks.back().sum += 1;
        }
        if (!made.ticks.empty() && !made.begins_again && happens(15))
            for (auto& more : ticks(made.ticks.back().seq + 1, {tick_body()}, made.ticks.back().sum))
                made.ticks.push_back(more);
    }
    keep(stored_, made);
    return call_of<AppendReply>("append", std::move(made), [](Store& store, const Batch& batch, auto then) {
        store.append(batch, std::move(then));
    });
}
RandomCall RandomCalls::write_log(Store& known) {
    const auto id = run();
    const auto rows = stores::list(known, {.ids = {id}});
    const auto next = rows.empty() ? 0 : stores::read_log(known, id).next;
    const auto from = happens(4) ? next + 1 : next - std::min<std::uint64_t>(next, below(3));
    std::vector<std::string> texts;
    for (auto count = below(4); count > 0; --count) texts.push_back(tick_body());
    const auto epoch = rows.empty() ? 1 : rows.front().epoch - (rows.front().epoch > 0 && happens(7));
    return call_of<LogReply>(
        "write_log", entries_of(id, from, texts, epoch),
        [](Store& store, const LogEntries& entries, auto then) { store.write_log(entries, std::move(then)); });
}
RandomCall RandomCalls::read() {
    const auto id = run();
    const auto from = below(6), most = below(5), bytes = happens(30) ? below(40) : most_log_bytes;
    switch (below(4)) {
    case 0:
        return call_of<LogPart>("read_log", id, [=](Store& store, const std::string& run, auto then) {
            store.read_log(run, from, most, std::move(then), bytes);
        });
    case 1:
        return call_of<std::vector<Mail>>("load_mail", id, [](Store& store, const std::string& run, auto then) {
            store.load_mail(run, std::move(then));
        });
    case 2:
        return call_of<StoredPlan>("plan", plan().hash, [](Store& store, const std::string& hash, auto then) {
            store.plan(hash, std::move(then));
        });
    default:
        return call_of<History>("load", id, [=](Store& store, const std::string& run, auto then) {
            store.load(run, std::move(then), from);
        });
    }
}
RandomCall RandomCalls::send() {
    Mail mail{.run = run(), .id = one_of("m", 12), .body = {}};
    mail.body = R"({"text":)" + std::to_string(++texts_) + "}";
    mail.is_urgent = happens(15);
    mail.only_asks = happens(10);
    return call_of<SendReply>("send", std::move(mail),
                              [](Store& store, const Mail& mail, auto then) { store.send(mail, std::move(then)); });
}
RandomCall RandomCalls::claim(Store& known) {
    ClaimRequest request{.owner = one_of("w", 4)};
    request.ids = some("r", 8);
    if (happens(30)) {
        request.workflows = {plan().workflow};
        request.hashes = happens(50) ? std::vector{plan().hash, plan().hash} : std::vector<std::string>();
        request.queues = some("q", 3);
        request.except = some("r", 8);
    }
    request.most = happens(50) ? below(4) : 1000;
    const auto rows = stores::list(known);
    if (!rows.empty() && happens(15)) {
        const auto& row = rows[below(rows.size())];
        request.behind = ClaimRequest::QueuePlace{row.priority, row.created_at};
    }
    return call_of<std::vector<RunRow>>(
        "claim", std::move(request),
        [](Store& store, const ClaimRequest& c, auto then) { store.claim(c, std::move(then)); });
}
RandomCall RandomCalls::list(std::int64_t now) {
    Filter filter{.ids = some("r", 8)};
    if (happens(30)) filter.workflows = {plan().workflow};
    if (happens(30)) filter.statuses = {RunStatus(below(7)), RunStatus(below(7))};
    if (happens(20)) filter.owner = one_of("w", 4);
    if (happens(20)) filter.updated_before = time_near(now);
    if (happens(30)) filter.most = below(4);
    return call_of<std::vector<RunRow>>(
        "list", std::move(filter), [](Store& store, const Filter& f, auto then) { store.list(f, std::move(then)); });
}
RandomCall RandomCalls::prune(std::int64_t now) {
    Filter filter{.ids = some("r", 8)};
    if (happens(30)) filter.workflows = {plan().workflow};
    if (happens(30)) filter.statuses = {RunStatus::done, RunStatus(below(7))};
    if (happens(50)) filter.updated_before = time_near(now);
    filter.most = below(4);
    return call_of<std::uint64_t>("prune", std::move(filter),
                                  [](Store& store, const Filter& f, auto then) { store.prune(f, std::move(then)); });
}
RandomCall RandomCalls::set_limits() {
    QueueLimits limits{.queue = one_of("q", 3)};
    if (happens(60)) limits.running = std::uint32_t(below(4));
    if (happens(50)) limits.per = "value.tenant";
    if (happens(30)) limits.running_per_key = std::uint32_t(1 + below(2));
    if (happens(30)) limits.starts = std::uint32_t(below(6));
    if (happens(50)) limits.seconds = 1;
    const auto queue = limits.queue;
    auto call = call_of<bool>("set_limits", std::move(limits), [](Store& store, const QueueLimits& l, auto then) {
        store.set_limits(l, std::move(then));
    });
    call.what += " of " + queue;
    return call;
}
RandomCall RandomCalls::ask_model() {
    const auto model = one_of("openai:m", 2);
    if (happens(20)) {
        ModelLimit limit{.model = model};
        if (happens(60)) limit.requests = 1 + below(200);
        if (happens(40)) limit.tokens = 1 + below(5000);
        if (happens(50)) limit.per = "value.tenant";
        return call_of<bool>("set_model_limit", std::move(limit), [](Store& store, const ModelLimit& l, auto then) {
            store.set_model_limit(l, std::move(then));
        });
    }
    if (happens(20))
        return call_of<std::vector<ModelFlow>>("model_limits", std::string(), [](Store& store, const auto&, auto then) {
            store.model_limits(std::move(then));
        });
    QuotaRequest request{.model = model, .owner = one_of("w", 4), .waiting = {}};
    for (auto key = below(3); key > 0; --key) {
        request.waiting.push_back({"t" + std::to_string(key), {}});
        for (auto calls = 1 + below(3); calls > 0; --calls)
            request.waiting.back().tokens.push_back(std::int64_t(below(400)));
    }
    if (happens(20)) request.requests_back = std::int64_t(below(3));
    if (happens(20)) request.tokens_back = std::int64_t(below(200)) - 100;
    return call_of<QuotaReply>("take_quota", std::move(request), [](Store& store, const QuotaRequest& q, auto then) {
        store.take_quota(q, std::move(then));
    });
}
RandomCall RandomCalls::next(Store& known, std::int64_t now) {
    const auto kind = below(100);
    if (kind < 18) return create(now);
    if (kind < 22) return create_all(now);
    if (kind < 45) return append(known, now);
    if (kind < 50) return write_log(known);
    if (kind < 57) return read();
    if (kind < 67) return send();
    if (kind < 79) return claim(known);
    if (kind < 80) return prune(now);
    if (kind < 84) return list(now);
    if (kind < 86) return set_limits();
    if (kind < 89) return ask_model();
    if (kind < 92)
        return call_of<Survey>("survey", std::string(),
                               [](Store& store, const std::string&, auto then) { store.survey(std::move(then)); });
    Heartbeat beat{.id = one_of("w", 4), .lease_ms = happens(8) ? 0 : std::int64_t(1 + below(5)) * 1000, .info = {}};
    // A worker is listed always or never. Its text differs each time: a store in a file writes an equal text only after
    // half of the lease, and with it the end of the lease.
    if (beat.id != "w0") beat.info = "info" + std::to_string(++texts_);
    return call_of<HeartbeatReply>("heartbeat", std::move(beat), [](Store& store, const Heartbeat& b, auto then) {
        store.heartbeat(b, std::move(then));
    });
}
}
