// A stored run seen from outside: signals go to it by mail, as answers from other programs do; its records have its
// slots.
#include "engine/core/loop/random.hpp"
#include "engine/core/record.hpp"
#include "engine/core/slots_fold.hpp"
#include "engine/event_json.hpp"
#include "engine/impl/engine_parts.hpp"
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include "engine/journal/record.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store_reply.hpp"
#include <algorithm>
#include <limits>

namespace weft {
using namespace storage;
namespace {
constexpr unsigned most_claims = 20;  // of a run that heartbeats give back
}
awaitable<SendReply> mail_signal(Store& store, Mail mail) {
    auto asking = store_reply<std::vector<Mail>>([&](auto then) { store.load_mail(mail.run, std::move(then)); });
    const auto unread = co_await std::move(asking);
    std::exception_ptr full;
    if (std::ranges::find(unread, mail.id, &Mail::id) == unread.end()) try {
            check_room_for_signal(mail.run, unread, mail.body.size());
        } catch (const Error&) { full = std::current_exception(); }
    mail.only_asks = full != nullptr;  // a tick may have taken this mail
    auto sending = store_reply<SendReply>([&](auto then) { store.send(std::move(mail), std::move(then)); });
    const auto reply = co_await std::move(sending);
    if (full && !reply.is_known && !has_ended(reply.status)) std::rethrow_exception(full);
    co_return reply;
}
// The owner has no lease, because it sends no heartbeat: that of an engine may give the run back before its end. Then
// the store takes no more claims of this owner, so each claim has its own one.
awaitable<bool> end_unowned(Store& store, std::string run) {
    for (unsigned claims = 0; claims < most_claims; ++claims) {
        const ClaimRequest claim{.owner = "end_unowned-" + core::hex(core::draw_seed()), .ids = {run}};
        auto claiming = store_reply<std::vector<RunRow>>([&](auto then) { store.claim(claim, std::move(then)); });
        const auto rows = co_await std::move(claiming);
        if (rows.empty()) co_return false;
        Batch last{.run = run, .epoch = rows.front().epoch, .seq = rows.front().next_seq};
        last.left = RunRelease{
            .status = RunStatus::cancelled,
            .outcome = journal::write_event({.event = "RunCancelledEvent", .data = nlohmann::json::object()})};
        auto ending = store_reply<AppendReply>([&](auto then) { store.append(last, std::move(then)); });
        if (co_await std::move(ending) == AppendReply::stored) co_return true;
    }
    co_return false;
}
bool Engine::send_signal(const Definition& definition, std::size_t type, const void* event, const std::string& run,
                         std::string id) {
    check_wait();
    if (!parts_->options.store)
        throw Error(Code::usage, "an engine without a store cannot signal a stored run: give it a store");
    auto& store = *parts_->options.store;
    const auto& of = definition.events.at(type);
    Filter named;
    named.ids = {run};
    const auto rows = answer_of<std::vector<RunRow>>([&](auto then) { store.list(named, std::move(then)); });
    if (rows.empty()) throw Error(Code::usage, "the store has no run " + run + " that could take a signal");
    const auto& row = rows.front();
    if (row.workflow != definition.name)
        throw Error(Code::usage, "run " + run + " is a run of " + row.workflow + ", not of " +
                                     std::string(definition.name) + ", whose signal it was sent");
    Mail mail{.run = run,
              .id = id.empty() ? core::hex(core::draw_seed()) : std::move(id),
              .body = journal::write_mail({.data = to_json(of, event), .event = std::string(of.name)})};
    const auto sent = wait(mail_signal(store, std::move(mail)));
    if (!sent.is_new && !sent.is_known)
        throw Error(Code::usage,
                    "run " + run + " has ended (" + std::string(name(sent.status)) + "): it takes no signal any more");
    return sent.is_new;
}
void Engine::read_slot(const Definition& definition, const core::SlotType& type, const std::string& run, void* slot) {
    check_wait();
    if (!parts_->options.store)
        throw Error(Code::usage, "an engine without a store has no slots of stored runs: give it a store");
    if (!definition.durable)
        throw Error(Code::usage, std::string(definition.name) + " stores no slots: wrap it in durable()");
    const auto from = std::numeric_limits<std::int64_t>::max();  // only the snapshot, and the ticks after it
    const auto slots = journal::fold_slots(
        answer_of<History>([&](auto then) { parts_->options.store->load(run, std::move(then), from); }));
    if (const auto at = slots.find(core::stored_name(definition, type)); at != slots.end())
        weft::read_slot(type, at->second, slot);
}
}
