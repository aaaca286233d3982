// Writes runs from JSON into a store, in an engine's form.
//
//     put(store, {{"id", "a1"}, {"status", "waiting"}, {"ticks", {started(), asked(1)}}});
#pragma once
#include "engine/core/record.hpp"
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

inline std::string hash_of(const std::string& plan) { return weft::core::hex(weft::storage::chained_sum(0, 0, plan)); }
/// The declaration of a workflow with the signal PauseEvent.
inline const std::string watch_plan = R"({"workflow":"counted_watch","steps":["watch","count_pauses"],
"events":["WatchEvent","PauseEvent","WatchedEvent"],"plan":{"consumers":[{"part":0,"step":0},{"part":0,"step":1}],
"events":[{"answers":65535,"count":1,"first":0,"lane":2,"only":0,"paired":false,"role":"plain"},
{"answers":65533,"count":1,"first":1,"lane":2,"only":1,"paired":false,"role":"plain"},
{"answers":65535,"count":0,"first":2,"lane":2,"only":65535,"paired":false,"role":"stop"}],
"fan_outs":[],"has_first":false,"questions":0,"steps":[{"first":0,"first_fan":0,"handler":65535,"parts":1,
"recoveries":1,"takes":"one","workers":4},{"first":0,"first_fan":0,"handler":65535,"parts":1,"recoveries":1,
"takes":"one","workers":4}]}})";
inline json watched() {
    return {{"tick", "arrived"},
            {"at", noon},
            {"hash", hash_of(watch_plan)},
            {"events", {{{"event", "WatchEvent"}, {"data", json::object()}}}}};
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
    const auto workflow = run.value("workflow", "refund");
    const bool is_watch = workflow == "counted_watch";
    made.plan = {is_watch ? hash_of(watch_plan) : "h1", workflow, is_watch ? watch_plan : R"({"steps":[]})"};
    made.options = run.value("options", json::object()).dump();
    made.forked_from = run.value("forked_from", "");
    made.ticks = ticks_of(run.value("ticks", json::array({is_watch ? watched() : started()})));
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
