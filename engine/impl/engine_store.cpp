// Durable runs of an engine: finds them by key, resumes and recovers them, and fetches their mail.
#include "engine/all.hpp"
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/mail.hpp"
#include "engine/core/resume.hpp"
#include "engine/impl/engine_parts.hpp"
#include "engine/store_reply.hpp"
#include "engine/timeout.hpp"
#include <algorithm>
#include <limits>

namespace weft {
using namespace storage;
namespace {
/// Returns false if the run may be loaded without this mail, or takes it later.
bool deliver(const core::CoreRef& core, const std::vector<Mail>& mail) {
    if (!core->loop.load() || is_unknown(core->extras->track->log->state)) return false;
    bool is_taken = true;
    for (auto& letter : mail) is_taken = core::take_mail(*core, letter) && is_taken;
    return is_taken;
}
/// Gives back a claimed run, without waiting for the store.
void give_back(const std::shared_ptr<core::Shard>& shard, const RunRow& row) {
    shard->store->append(core::given_back(row.id, row.epoch, row.next_seq),
                         [shard](std::exception_ptr error, AppendReply) {
                             if (error) shard->left_behind = true;  // the next heartbeat gives the run back
                         });
}
constexpr std::chrono::seconds longest_claim(1);  // of one of several databases
}
namespace core {
awaitable<void> EngineParts::free_left_behind(Heart& heart) {
    auto entering = heart.claims.enter();
    const auto pass = co_await std::move(entering);
    Filter running;
    running.statuses = {RunStatus::running};
    running.owner = heart.lease().holder().owner;
    running.most = std::numeric_limits<std::size_t>::max();
    auto listing = store_reply<std::vector<RunRow>>(
        [&](auto then) { heart.store().list(std::move(running), std::move(then)); });
    const auto rows = co_await std::move(listing);
    for (auto& row : rows) {
        const auto known = loops.front()->find(row.id);
        if (!known) give_back(heart.shard, row);
        else
            (*known)->mailbox->post([core = *known, shard = heart.shard, epoch = row.epoch] {
                // A run of a former claim leaves memory now, or has left it: then the next heartbeat gives the row
                // back. A run without an epoch waits for the answer to its claim.
                const auto* track = core->extras ? core->extras->track.get() : nullptr;
                if (!track || (track->log->epoch != 0 && track->log->epoch != epoch)) shard->left_behind = true;
            });
    }
}
awaitable<void> EngineParts::fetch_mail(Heart& heart, HeartbeatReply::InboxCount inbox) {
    const auto core = loops.front()->find(inbox.run);
    if (!core) co_return;
    auto& last = heart.fetched[inbox.run];
    if (last.core == &**core && last.mail == inbox.mail && *last.is_delivered) co_return;
    const auto lap = (*core)->extras->laps.load();
    auto loading = store_reply<std::vector<Mail>>(
        [&](auto then) { heart.store().load_mail(inbox.run, std::move(then)); });
    auto mail = co_await std::move(loading);
    last = {.core = &**core, .mail = inbox.mail};
    (*core)->mailbox->post([core = *core, mail = std::move(mail), lap, is_delivered = last.is_delivered] {
        // A run that has begun again no longer knows all mail that it took after this mail was read.
        *is_delivered = core->extras->laps == lap && deliver(core, mail);
    });
}
awaitable<void> EngineParts::hear(Heart& heart, HeartbeatReply reply) {
    auto& left_behind = heart.shard->left_behind;
    if (left_behind.exchange(false)) {
        auto freeing = free_left_behind(heart);
        try {
            co_await std::move(freeing);
        } catch (...) {
            left_behind = true;  // the next heartbeat tries again
            throw;
        }
    }
    auto before = std::exchange(heart.fetched, {});  // drops the entries of runs without mail
    for (auto& inbox : reply.inboxes) {
        heart.fetched.insert(before.extract(inbox.run));
        auto fetching = fetch_mail(heart, inbox);
        try {
            co_await std::move(fetching);
        } catch (const Error&) {}  // this run cannot be loaded; continue with the others
    }
    if (!options.park) co_return;
    on_loops([](LoopCore& loop) { loop.keeper().park_idle(); });
    auto entering = heart.claims.enter();
    const auto pass = co_await std::move(entering);
    std::vector<std::string> ids;
    auto claiming = claim_ready(heart, ids);
    co_await std::move(claiming);
}
CoreRef EngineParts::make_or_find(const std::shared_ptr<const Definition>& definition, const RunOptions& o,
                                  bool& is_new) {
    is_new = true;
    auto& loop = next_loop();
    if (o.key.empty() || !options.store || !definition || !definition->durable) return loop.make(definition, o);
    std::lock_guard lock(naming);
    auto live = loop.find(stored_id(*definition, o));
    if (!live) return loop.make(definition, o);
    if ((*live)->definition->type != definition->type || (*live)->definition->name != definition->name)
        throw Error(Code::usage, "run " + (*live)->id() + " belongs to another workflow than the started one");
    is_new = false;
    return *std::move(live);
}
CoreRef EngineParts::resume(std::shared_ptr<const Definition> definition, const std::string& id, const RunOptions& o) {
    auto& loop = next_loop();
    std::unique_lock lock(naming);
    if (auto live = loop.find(id)) {
        if (o.claimed)
            throw Error(Code::usage, "run " + id + " was claimed while it leaves this engine: claim it again");
        const auto& known = *(*live)->definition;
        if (definition && known.type == definition->type && known.name == definition->name) return *live;
        throw Error(Code::usage, "run " + id + " belongs to another workflow than the resumed one");
    }
    auto core = make_stored(loop, std::move(definition), id, o);
    lock.unlock();
    if (o.claimed) resume_stored(core, o.claimed->epoch, o.claimed->owner);
    else resume_stored(core);
    return core;
}
bool EngineParts::go_on(Heart& heart, const KnownDefinitions& known, const RunRow& row) {
    const auto of = std::ranges::find(known, row.workflow, [](const auto& each) { return each->name; });
    auto& loop = next_loop();
    std::unique_lock naming_lock(naming);
    if (loop.find(row.id)) {  // another caller resumes it right now, and claims it next
        give_back(heart.shard, row);
        return false;
    }
    auto core = make_stored(loop, *of, row.id, {});
    naming_lock.unlock();
    resume_stored(core, row.epoch, row.owner);
    return true;
}
// If the answer is lost, the store may have given this engine runs that the engine does not know: it looks for them.
// One of several databases has a limited time, so that a claim goes on to the next one. It gets no further claim before
// its answer.
awaitable<std::vector<RunRow>> EngineParts::claim_from_store(Heart& heart, ClaimRequest request) {
    const auto shard = heart.shard;
    const bool has_a_limit = hearts.size() > 1;
    struct AwaitedClaim {
        std::mutex mutex;
        bool is_answered = false, is_late = false;
    };
    const auto awaited = std::make_shared<AwaitedClaim>();
    auto claiming = store_reply<std::vector<RunRow>>([&](auto then) {
        shard->store->claim(std::move(request), [shard, awaited, then = std::move(then)](std::exception_ptr error,
                                                                                         std::vector<RunRow> rows) {
            std::unique_lock lock(awaited->mutex);
            awaited->is_answered = true;
            const bool is_late = awaited->is_late;
            lock.unlock();
            if (!is_late) return then(std::move(error), std::move(rows));
            if (error) shard->left_behind = true;
            for (auto& row : rows) give_back(shard, row);
            shard->claims_late = false;
        });
    });
    try {
        if (!has_a_limit) co_return co_await std::move(claiming);
        co_return co_await with_timeout(longest_claim, std::move(claiming));
    } catch (...) {
        std::lock_guard lock(awaited->mutex);
        if (awaited->is_answered) shard->left_behind = true;
        else shard->claims_late = awaited->is_late = true;
        throw;
    }
}
awaitable<void> EngineParts::claim_ready(KnownDefinitions more, std::vector<std::string>& ids) {
    std::vector<AsyncMutex::Lock> passes;
    for (auto& heart : hearts) {
        auto entering = heart->claims.enter();
        auto pass = co_await std::move(entering);
        passes.push_back(std::move(pass));
    }
    if (!more.empty()) {
        std::lock_guard lock(recovering);
        auto all = *recovered;
        for (auto& d : more) {
            std::erase_if(all, [&](auto& other) { return other->name == d->name; });
            all.push_back(std::move(d));
        }
        recovered = std::make_shared<const KnownDefinitions>(std::move(all));
        for (auto& heart : hearts) heart->pauses.forget();
    }
    std::exception_ptr error;
    std::size_t failed = 0;
    for (auto& heart : hearts) {
        auto claiming = claim_ready(*heart, ids);
        try {
            co_await std::move(claiming);
        } catch (...) {  // the runs of the other databases go on
            error = std::current_exception();
            ++failed;
        }
    }
    if (failed == hearts.size()) std::rethrow_exception(error);
}
awaitable<void> EngineParts::claim_ready(Heart& heart, std::vector<std::string>& ids) {
    std::shared_ptr<const KnownDefinitions> known;
    {
        std::lock_guard lock(recovering);
        known = recovered;
    }
    ClaimRequest request;
    const auto holder = heart.lease().holder();
    request.owner = holder.owner;
    for (auto& d : *known) request.workflows.emplace_back(d->name);
    request.except = heart.pauses.begin(clock->since_boot());
    while (!known->empty() && !leaving && heart.may_claim(holder) && !heart.shard->claims_late) {
        auto claiming = claim_from_store(heart, request);
        const auto rows = co_await std::move(claiming);
        for (auto& row : rows) {
            heart.pauses.claimed(row);
            if (go_on(heart, *known, row)) ids.push_back(row.id);
        }
        if (rows.size() < request.most) break;
    }
}
/// Shares after which the engine has equally many runs of each database, as far as possible, the largest first. Each
/// run in memory uses its shard, and so do some calls under way; other uses are equally many for each shard.
std::vector<EngineParts::ClaimShare> EngineParts::shares_of_claim(std::size_t most) {
    const auto size = hearts.size();
    const auto first = next_heart.fetch_add(1, std::memory_order_relaxed);
    std::vector<ClaimShare> shares;
    for (std::size_t i = 0; i < size; ++i) {
        auto* heart = hearts[(first + i) % size].get();
        shares.push_back({heart, std::size_t(heart->shard.use_count())});
    }
    std::ranges::stable_sort(shares, {}, &ClaimShare::runs);
    std::size_t filled = 0,  // number of databases that get a share, and the runs that they have then
        runs = std::min(most, std::size_t{1} << 30);
    while (filled < size && shares[filled].runs * filled < runs) runs += shares[filled++].runs;
    for (std::size_t i = 0; i < filled; ++i) shares[i].most = runs / filled + (i < runs % filled) - shares[i].runs;
    return shares;
}
awaitable<void> EngineParts::claim_share(ClaimShare& share, ClaimRequest request,
                                         const std::function<bool(const RunRow&)>& take, std::size_t& taken) {
    const auto most = request.most;
    std::size_t own = 0;
    auto claiming = claim(*share.heart, std::move(request), take, own);
    try {
        co_await std::move(claiming);
    } catch (...) { share.error = std::current_exception(); }
    share.is_empty = own < most;
    taken += own;
}
/// At once, because each answer takes the time of a transaction.
awaitable<void> EngineParts::claim_shares(std::span<ClaimShare> shares, ClaimRequest request,
                                          const std::function<bool(const RunRow&)>& take, std::size_t& taken) {
    auto first = request;
    first.most = shares.front().most;
    auto claiming = claim_share(shares.front(), std::move(first), take, taken);
    if (shares.size() == 1) co_return co_await std::move(claiming);
    auto others = claim_shares(shares.subspan(1), std::move(request), take, taken);
    auto both = all(std::move(claiming), std::move(others));
    co_await std::move(both);
}
// First the databases give their shares, then those that may have more, one after the other. Without shares all runs
// of a claim are in one database, and often end together: then all their slots go to the next database together, while
// the other databases have no work.
awaitable<void> EngineParts::claim(ClaimRequest request, const std::function<bool(const RunRow&)>& take,
                                   std::size_t& taken) {
    const auto most = request.most;
    auto shares = shares_of_claim(most);
    const auto filled = std::ranges::find(shares, std::size_t{0}, &ClaimShare::most);
    if (filled != shares.begin()) {
        auto claiming = claim_shares({shares.begin(), filled}, request, take, taken);
        co_await std::move(claiming);
    }
    for (auto& share : shares) {
        if (taken >= most) co_return;
        if (share.is_empty) continue;
        request.most = most - taken;
        auto claiming = claim_share(share, request, take, taken);
        co_await std::move(claiming);
    }
    if (!std::ranges::count(shares, nullptr, &ClaimShare::error)) std::rethrow_exception(shares.back().error);
}
awaitable<void> EngineParts::claim(Heart& heart, ClaimRequest request, const std::function<bool(const RunRow&)>& take,
                                   std::size_t& taken) {
    if (heart.shard->claims_late) throw Error(Code::journal, "the store has not answered the last claim");
    auto entering = heart.claims.enter();
    const auto pass = co_await std::move(entering);
    const auto holder = heart.lease().holder();
    if (leaving) co_return;
    if (!heart.may_claim(holder)) {
        if (const auto why = heart.lease().refusal(); !why.empty()) throw Error(Code::journal, why);
        co_return;
    }
    request.owner = holder.owner;
    auto claiming = claim_from_store(heart, std::move(request));
    const auto rows = co_await std::move(claiming);
    std::exception_ptr error;
    for (auto& row : rows) try {
            if (!error && take(row)) ++taken;
            else give_back(heart.shard, row);
        } catch (...) {
            error = std::current_exception();
            heart.shard->left_behind = true;  // the next heartbeat gives it back, unless a loop has it
        }
    if (error) std::rethrow_exception(error);
}
awaitable<void> EngineParts::await_claims() {
    for (auto& heart : hearts) {
        auto entering = heart->claims.enter();
        const auto pass = co_await std::move(entering);
    }
}
}
core::CoreRef Engine::make_or_find(std::shared_ptr<const Definition> definition, const RunOptions& options,
                                   bool& is_new) {
    return parts_->make_or_find(definition, options, is_new);
}
core::CoreRef Engine::resume_core(std::shared_ptr<const Definition> definition, const std::string& id,
                                  const RunOptions& options) {
    return parts_->resume(std::move(definition), id, options);
}
Store& Engine::store() const {
    if (parts_->options.store) return *parts_->options.store;
    throw Error(Code::usage, "an engine without a store keeps no runs: give it a store");
}
std::size_t Engine::claim(ClaimRequest request, const std::function<bool(const RunRow&)>& take) {
    if (!parts_->options.store)
        throw Error(Code::usage, "an engine without a store cannot claim runs: give it a store");
    std::size_t taken = 0;
    wait_for(parts_->claim(std::move(request), take, taken));
    return taken;
}
std::vector<std::string> Engine::recover_cores(std::vector<std::shared_ptr<const Definition>> definitions) {
    if (!parts_->options.store)
        throw Error(Code::usage, "an engine without a store cannot recover runs: give it a store");
    if (parts_->options.park) {
        for (auto& heart : parts_->hearts) {
            std::lock_guard lock(heart->state->mutex);
            heart->state->claims = true;
        }
    }
    std::vector<std::string> ids;
    wait_for(parts_->claim_ready(std::move(definitions), ids));
    return ids;
}
}
