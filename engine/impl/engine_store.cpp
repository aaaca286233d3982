// Durable runs of an engine: finds them by key, resumes and recovers them, and fetches their mail.
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/mail.hpp"
#include "engine/core/resume.hpp"
#include "engine/impl/engine_parts.hpp"
#include "engine/store_reply.hpp"
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
}
namespace core {
void EngineParts::free_run(const RunRow& row) {
    options.store->append(given_back(row.id, row.epoch, row.next_seq),
                          [ids = loops.front()->ids()](std::exception_ptr error, AppendReply) {
                              if (error) ids->left_behind = true;  // the next heartbeat gives the run back
                          });
}
awaitable<void> EngineParts::free_left_behind() {
    auto entering = claims.enter();
    const auto pass = co_await std::move(entering);
    Filter running;
    running.statuses = {RunStatus::running};
    running.owner = lease->holder().owner;
    running.most = std::numeric_limits<std::size_t>::max();
    auto listing = store_reply<std::vector<RunRow>>(
        [&](auto then) { options.store->list(std::move(running), std::move(then)); });
    const auto rows = co_await std::move(listing);
    for (auto& row : rows)
        if (!loops.front()->find(row.id)) free_run(row);
}
awaitable<void> EngineParts::fetch_mail(HeartbeatReply::InboxCount inbox) {
    const auto core = loops.front()->find(inbox.run);
    if (!core) co_return;
    auto& last = fetched[inbox.run];
    if (last.core == &**core && last.mail == inbox.mail && *last.is_delivered) co_return;
    const auto lap = (*core)->extras->laps.load();
    auto loading = store_reply<std::vector<Mail>>(
        [&](auto then) { options.store->load_mail(inbox.run, std::move(then)); });
    auto mail = co_await std::move(loading);
    last = {.core = &**core, .mail = inbox.mail};
    (*core)->mailbox->post([core = *core, mail = std::move(mail), lap, is_delivered = last.is_delivered] {
        // A run that has begun again no longer knows all mail that it took after this mail was read.
        *is_delivered = core->extras->laps == lap && deliver(core, mail);
    });
}
awaitable<void> EngineParts::hear(HeartbeatReply reply) {
    auto& left_behind = loops.front()->ids()->left_behind;
    if (left_behind.exchange(false)) {
        auto freeing = free_left_behind();
        try {
            co_await std::move(freeing);
        } catch (...) {
            left_behind = true;  // the next heartbeat tries again
            throw;
        }
    }
    auto before = std::exchange(fetched, {});  // drops the entries of runs without mail
    for (auto& inbox : reply.inboxes) {
        fetched.insert(before.extract(inbox.run));
        auto fetching = fetch_mail(inbox);
        try {
            co_await std::move(fetching);
        } catch (const Error&) {}  // this run cannot be loaded; continue with the others
    }
    if (!options.park) co_return;
    on_loops([](LoopCore& loop) { loop.keeper().park_idle(); });
    std::vector<std::string> ids;
    auto claiming = claim_ready({}, ids);
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
bool EngineParts::go_on(const RunRow& row) {
    const auto of = std::find_if(recovered.begin(), recovered.end(), [&](auto& d) { return d->name == row.workflow; });
    auto& loop = next_loop();
    std::unique_lock naming_lock(naming);
    if (loop.find(row.id)) {  // another caller resumes it right now, and claims it next
        free_run(row);
        return false;
    }
    auto core = make_stored(loop, *of, row.id, {});
    naming_lock.unlock();
    resume_stored(core, row.epoch, row.owner);
    return true;
}
// If the answer is lost, the store may have given this engine runs that the engine does not know: it looks for them.
awaitable<std::vector<RunRow>> EngineParts::claim_from_store(ClaimRequest request) {
    auto claiming = store_reply<std::vector<RunRow>>(
        [&](auto then) { options.store->claim(std::move(request), std::move(then)); });
    try {
        co_return co_await std::move(claiming);
    } catch (...) {
        loops.front()->ids()->left_behind = true;
        throw;
    }
}
awaitable<void> EngineParts::claim_ready(std::vector<std::shared_ptr<const Definition>> more,
                                         std::vector<std::string>& ids) {
    auto entering = claims.enter();
    const auto pass = co_await std::move(entering);
    if (!more.empty()) pauses.forget();
    for (auto& d : more) {
        std::erase_if(recovered, [&](auto& other) { return other->name == d->name; });
        recovered.push_back(std::move(d));
    }
    ClaimRequest request;
    const auto holder = lease->holder();
    request.owner = holder.owner;
    for (auto& d : recovered) request.workflows.emplace_back(d->name);
    request.except = pauses.begin(clock->since_boot());
    while (!recovered.empty() && !leaving && may_claim(holder)) {
        auto claiming = claim_from_store(request);
        const auto rows = co_await std::move(claiming);
        for (auto& row : rows) {
            pauses.claimed(row);
            if (go_on(row)) ids.push_back(row.id);
        }
        if (rows.size() < request.most) break;
    }
}
awaitable<void> EngineParts::claim(ClaimRequest request, const std::function<bool(const RunRow&)>& take,
                                   std::size_t& taken) {
    auto entering = claims.enter();
    const auto pass = co_await std::move(entering);
    const auto holder = lease->holder();
    if (leaving) co_return;
    if (!may_claim(holder)) {
        if (const auto why = lease->refusal(); !why.empty()) throw Error(Code::journal, why);
        co_return;
    }
    request.owner = holder.owner;
    auto claiming = claim_from_store(std::move(request));
    const auto rows = co_await std::move(claiming);
    std::exception_ptr error;
    for (auto& row : rows) try {
            if (!error && take(row)) ++taken;
            else free_run(row);
        } catch (...) {
            error = std::current_exception();
            loops.front()->ids()->left_behind = true;  // the next heartbeat gives it back, unless a loop has it
        }
    if (error) std::rethrow_exception(error);
}
awaitable<void> EngineParts::await_claims() {
    auto entering = claims.enter();
    const auto pass = co_await std::move(entering);
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
        std::lock_guard lock(parts_->heart->mutex);
        parts_->heart->claims = true;
    }
    std::vector<std::string> ids;
    wait_for(parts_->claim_ready(std::move(definitions), ids));
    return ids;
}
}
