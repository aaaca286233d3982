// Durable runs of an engine: finds them by key, resumes and recovers them, and fetches their mail.
#include "engine/core/loop/mailbox.hpp"
#include "engine/core/loop/run_extras.hpp"
#include "engine/core/mail.hpp"
#include "engine/core/resume.hpp"
#include "engine/impl/engine_parts.hpp"
#include "engine/storage/answer.hpp"
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
void Engine::Parts::free_run(const RunRow& row) {
    options.store->append(core::given_back(row.id, row.epoch, row.next_seq),
                          [ids = loops.front()->ids()](std::exception_ptr error, AppendReply) {
                              if (error) ids->left_behind = true;  // the next heartbeat gives the run back
                          });
}
void Engine::Parts::free_left_behind() {
    std::lock_guard lock(recovering);  // else a run that is being claimed would seem to be in no loop
    Filter running;
    running.statuses = {RunStatus::running};
    running.owner = lease->holder().owner;
    running.most = std::numeric_limits<std::size_t>::max();
    const auto rows = storage::answer_of<std::vector<RunRow>>(
        [&](auto then) { options.store->list(std::move(running), std::move(then)); });
    for (auto& row : rows)
        if (!loops.front()->find(row.id)) free_run(row);
}
void Engine::Parts::fetch_mail(const HeartbeatReply::InboxCount& inbox) {
    const auto core = loops.front()->find(inbox.run);
    if (!core) return;
    auto& last = fetched[inbox.run];
    if (last.core == &**core && last.mail == inbox.mail && *last.is_delivered) return;
    const auto lap = (*core)->extras->laps.load();
    auto mail = storage::answer_of<std::vector<Mail>>(
        [&](auto then) { options.store->load_mail(inbox.run, std::move(then)); });
    last = {.core = &**core, .mail = inbox.mail};
    (*core)->mailbox->post([core = *core, mail = std::move(mail), lap, is_delivered = last.is_delivered] {
        // A run that has begun again no longer knows all mail that it took after this mail was read.
        *is_delivered = core->extras->laps == lap && deliver(core, mail);
    });
}
void Engine::Parts::hear(const HeartbeatReply& reply) {
    auto& left_behind = loops.front()->ids()->left_behind;
    if (left_behind.exchange(false)) try {
            free_left_behind();
        } catch (...) {
            left_behind = true;  // the next heartbeat tries again
            throw;
        }
    auto before = std::exchange(fetched, {});  // drops the entries of runs without mail
    for (auto& inbox : reply.inboxes) try {
            fetched.insert(before.extract(inbox.run));
            fetch_mail(inbox);
        } catch (const Error&) {}  // this run cannot be loaded; continue with the others
    if (!options.park) return;
    on_loops([](core::LoopCore& loop) { loop.keeper().park_idle(); });
    claim_ready();
}
core::CoreRef Engine::make_or_find(std::shared_ptr<const Definition> definition, const RunOptions& options,
                                   bool& is_new) {
    is_new = true;
    auto& loop = parts_->next_loop();
    if (options.key.empty() || !parts_->options.store || !definition || !definition->durable)
        return loop.make(definition, options);
    std::lock_guard lock(parts_->naming);
    auto live = loop.find(core::stored_id(*definition, options));
    if (!live) return loop.make(definition, options);
    if ((*live)->definition->type != definition->type || (*live)->definition->name != definition->name)
        throw Error(Code::usage, "run " + (*live)->id() + " belongs to another workflow than the started one");
    is_new = false;
    return *std::move(live);
}
core::CoreRef Engine::resume_core(std::shared_ptr<const Definition> definition, const std::string& id,
                                  const RunOptions& options) {
    auto& loop = parts_->next_loop();
    std::unique_lock lock(parts_->naming);
    if (auto live = loop.find(id)) {
        if (options.claimed)
            throw Error(Code::usage, "run " + id + " was claimed while it leaves this engine: claim it again");
        const auto& known = *(*live)->definition;
        if (definition && known.type == definition->type && known.name == definition->name) return *live;
        throw Error(Code::usage, "run " + id + " belongs to another workflow than the resumed one");
    }
    auto core = core::make_stored(loop, std::move(definition), id, options);
    lock.unlock();
    if (options.claimed) core::resume_stored(core, options.claimed->epoch, options.claimed->owner);
    else core::resume_stored(core);
    return core;
}
bool Engine::Parts::go_on(const RunRow& row) {
    const auto of = std::find_if(recovered.begin(), recovered.end(), [&](auto& d) { return d->name == row.workflow; });
    auto& loop = next_loop();
    std::unique_lock naming_lock(naming);
    if (loop.find(row.id)) {  // another caller resumes it right now, and claims it next
        free_run(row);
        return false;
    }
    auto core = core::make_stored(loop, *of, row.id, {});
    naming_lock.unlock();
    core::resume_stored(core, row.epoch, row.owner);
    return true;
}
// If the answer is lost, the store may have given this engine runs that the engine does not know: it looks for them.
std::vector<RunRow> Engine::Parts::claim_from_store(ClaimRequest claim) {
    try {
        return storage::answer_of<std::vector<RunRow>>(
            [&](auto then) { options.store->claim(std::move(claim), std::move(then)); });
    } catch (...) {
        loops.front()->ids()->left_behind = true;
        throw;
    }
}
std::vector<std::string> Engine::Parts::claim_ready(std::vector<std::shared_ptr<const Definition>> more) {
    std::lock_guard lock(recovering);
    if (!more.empty()) pauses.forget();
    for (auto& d : more) {
        std::erase_if(recovered, [&](auto& other) { return other->name == d->name; });
        recovered.push_back(std::move(d));
    }
    ClaimRequest claim;
    const auto holder = lease->holder();
    claim.owner = holder.owner;
    for (auto& d : recovered) claim.workflows.emplace_back(d->name);
    claim.except = pauses.begin(clock->since_boot());
    std::vector<std::string> ids;
    while (!recovered.empty() && !leaving && may_claim(holder)) {
        const auto rows = claim_from_store(claim);
        for (auto& row : rows) {
            pauses.claimed(row);
            if (go_on(row)) ids.push_back(row.id);
        }
        if (rows.size() < claim.most) break;
    }
    return ids;
}
Store& Engine::store() const {
    if (parts_->options.store) return *parts_->options.store;
    throw Error(Code::usage, "an engine without a store keeps no runs: give it a store");
}
std::size_t Engine::claim(ClaimRequest claim, const std::function<bool(const RunRow&)>& take) {
    auto& p = *parts_;
    if (!p.options.store) throw Error(Code::usage, "an engine without a store cannot claim runs: give it a store");
    std::lock_guard lock(p.recovering);  // else a run that is being claimed would seem to be in no loop
    const auto holder = p.lease->holder();
    if (p.leaving) return 0;
    if (!p.may_claim(holder)) {
        if (const auto why = p.lease->refusal(); !why.empty()) throw Error(Code::journal, why);
        return 0;
    }
    claim.owner = holder.owner;
    const auto rows = p.claim_from_store(std::move(claim));
    std::size_t taken = 0;
    std::exception_ptr error;
    for (auto& row : rows) try {
            if (!error && take(row)) ++taken;
            else p.free_run(row);
        } catch (...) {
            error = std::current_exception();
            p.loops.front()->ids()->left_behind = true;  // the next heartbeat gives it back, unless a loop has it
        }
    if (error) std::rethrow_exception(error);
    return taken;
}
std::vector<std::string> Engine::recover_cores(std::vector<std::shared_ptr<const Definition>> definitions) {
    if (!parts_->options.store)
        throw Error(Code::usage, "an engine without a store cannot recover runs: give it a store");
    if (parts_->options.park) {
        std::lock_guard lock(parts_->heart->mutex);
        parts_->heart->claims = true;
    }
    return parts_->claim_ready(std::move(definitions));
}
}
