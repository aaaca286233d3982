// Writes runs from JSON into a store, in an engine's form.
//
//     put(store, {{"id", "a1"}, {"status", "waiting"}, {"ticks", {started(), asked(1)}}});
#pragma once
#include "engine/storage/answer.hpp"
#include "engine/store.hpp"
#include <nlohmann/json.hpp>

namespace stored {
using nlohmann::json;
using weft::storage::answer_of;

inline constexpr std::int64_t noon = 1'795'348'800'000'000;  // 22 November 2026

inline json started(std::string order = "A") {
    return {{"tick", "arrived"},
            {"at", noon},
            {"hash", "h1"},
            {"events", {{{"event", "RefundEvent"}, {"data", {{"order", order}, {"amount", 120.0}}}}}}};
}
/// A tick of a step that asks for an approval.
inline json asked(int question) {
    return {{"tick", "finished"},
            {"at", noon + 1'500'000},
            {"step", "review"},
            {"attempt", 1},
            {"events", {{{"event", "ApprovalRequestEvent"}, {"data", {{"question", "granted?"}}}}}},
            {"asked", {{{"question", question}, {"event", "ApprovalRequestEvent"}}}}};
}
/// A tick of an answer, addressed to a question if one is given.
inline json answered(json question = nullptr) {
    json tick = {{"tick", "arrived"},
                 {"at", noon + 2'000'000},
                 {"events", {{{"event", "ApprovalEvent"}, {"data", {{"granted", true}}}}}}};
    if (!question.is_null()) tick["question"] = question;
    return tick;
}

inline std::vector<weft::storage::StoredTick> ticks_of(const json& bodies) {
    std::vector<weft::storage::StoredTick> ticks;
    std::uint64_t sum = 0;
    for (auto& body : bodies) {
        const auto text = body.dump();
        sum = weft::storage::chained_sum(sum, ticks.size(), text);
        ticks.push_back({ticks.size(), text, sum});
    }
    return ticks;
}
inline weft::RunStatus status_of(const std::string& word) {
    for (auto s = weft::RunStatus::ready; s <= weft::RunStatus::cancelled; s = weft::RunStatus(int(s) + 1))
        if (name(s) == word) return s;
    throw std::runtime_error("no status is called " + word);
}
/// Sends mail to a stored run, unchecked.
inline void send(weft::Store& store, const json& run) {
    for (auto& mail : run.value("mail", json::array())) {
        const weft::storage::Mail one{run["id"], mail.at("id"), mail.at("body").dump()};
        answer_of<weft::storage::SendReply>([&](auto then) { store.send(one, std::move(then)); });
    }
}
/// Members: id, workflow, status, ticks, mail, waits_for, outcome, options, key; the defaults are a new refund's.
inline void put(weft::Store& store, const json& run) {
    weft::storage::NewRun made;
    made.id = run.at("id").get<std::string>();
    made.start_key = run.value("key", "");
    made.plan = {"h1", run.value("workflow", "refund"), R"({"steps":[]})"};
    made.options = run.value("options", json::object()).dump();
    made.forked_from = run.value("forked_from", "");
    made.ticks = ticks_of(run.value("ticks", json::array({started()})));
    const auto status = status_of(run.value("status", "ready"));
    if (status != weft::RunStatus::ready) made.owner = "engine";
    weft::storage::Batch left{.run = made.id, .epoch = 1, .seq = made.ticks.size()};
    left.waits_for = run.value("waits_for", "");
    answer_of<weft::storage::CreateReply>([&](auto then) { store.create(std::move(made), std::move(then)); });
    if (status > weft::RunStatus::running) left.left = weft::storage::RunRelease{.status = status};
    if (weft::has_ended(status)) left.left->outcome = run.value("outcome", json::object()).dump();
    if (status != weft::RunStatus::ready)
        answer_of<weft::storage::AppendReply>([&](auto then) { store.append(std::move(left), std::move(then)); });
    send(store, run);
}
inline weft::storage::History load(weft::Store& store, const std::string& id) {
    return answer_of<weft::storage::History>([&](auto then) { store.load(id, std::move(then)); });
}
}
