#include "tests/simulation/callers.hpp"
#include "engine/error.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace simulation {
using namespace storage;
using namespace std::chrono_literals;
Callers::Callers(World& world, Ledger& ledger, Databases& store)
    : world_(world), ledger_(ledger), machine_(world), link_(machine_, store, store.all().front()->disk, 2s) {
    link_.follow_growth();
}
void Callers::send(const std::string& run, const std::string& id, const nlohmann::json& body) {
    const auto text = body.dump();
    const auto again = [this, run, id, body] { send(run, id, body); };
    link_.send({.run = run, .id = id, .body = text, .is_urgent = body.contains("cancel")},
               [this, again, run, id](const std::exception_ptr& error, const SendReply& reply) {
                   if (error && code_of(error) == Code::journal) world_.after(1s, again);
                   if (!error && (reply.is_new || reply.is_known)) ledger_.accepted.emplace(run, id);
               });
}
void Callers::send(const std::string& run, std::uint64_t mail, const EventSpec& event, std::uint64_t value) {
    const nlohmann::json cargo{{"value", value}, {"round", 0}, {"from", ""}};
    send(run, "m" + std::to_string(mail), {{"event", event.name}, {"data", {{"cargo", cargo}}}});
}
void Callers::answer_all() {
    for (const auto& run : ledger_.runs) answer(run.first);
}
void Callers::answer(const std::string& run) {
    const auto row = ledger_.row(run);
    if (row.id.empty() || has_ended(row.status)) return;
    for (const auto& event : ledger_.runs[run].graph->events)
        if (event.place == Place::reply) send(run, ++mails_, event, value_of_answers);
}
std::optional<std::uint64_t> Callers::signal(const std::string& run, std::uint64_t times) {
    auto& facts = ledger_.runs[run];
    const auto event = std::ranges::find(facts.graph->events, Place::signal, &EventSpec::place);
    if (event == facts.graph->events.end()) return {};
    const auto number = ++mails_;
    facts.signals.insert("m" + std::to_string(number));
    for (; times > 0; --times) send(run, number, *event, number);
    return number;
}
void Callers::cancel(const std::string& run) {
    ledger_.runs[run].is_cancelled = true;
    send(run, "m" + std::to_string(++mails_), {{"cancel", true}});
}
}
