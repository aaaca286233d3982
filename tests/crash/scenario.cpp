// The store is read from a copy, so that the next worker finds the last worker's files unchanged.
#include "tests/crash/scenario.hpp"
#include "engine/schedule/schedules.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/sqlite_store.hpp"
#include "engine/store_reply.hpp"
#include <algorithm>
#include <filesystem>
#include <sstream>

namespace crash {
using namespace weft;
using namespace weft::storage;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {
/// Whether the event comes from a repeatable step: it is not stored, and no step waits for the disk because of it.
bool is_made_again(const std::string& event) { return event == "InputEvent"; }

void add_tick(Stored& stored, json tick) {
    const auto kind = tick.at("tick").get<std::string>();
    if (kind == "once") {
        const auto name = tick.at("name").get<std::string>();
        stored.chats += name == "chat";
        if (name.starts_with("book") || name.starts_with("undo")) stored.outputs.push_back("noted " + name);
    }
    if (kind == "outcome" && tick.at("name").get<std::string>().starts_with("weft.sleep."))
        ++stored.sleeps[tick.at("name").get<std::string>()];
    if (kind == "once" && tick.at("name") == "note" && tick.at("step") == "hear_ring")
        stored.outputs.push_back("noted lap" + std::to_string(tick.at("value").get<int>()));
    if (kind == "arrived" && !tick.value("mail", "").empty()) ++stored.mails[tick.at("mail").get<std::string>()];
    if (kind == "finished") ++stored.finished[tick.at("step").get<std::string>()];
    for (auto& event : tick.value("events", json::array())) {
        const auto name = event.at("event").get<std::string>();
        ++stored.events[name];
        if (name == "LapEvent")  // all earlier laps are over
            for (int lap = 0; lap < event.at("data").at("lap").get<int>(); ++lap)
                stored.outputs.push_back("noted lap" + std::to_string(lap));
        if (name == "ToolOutputEvent") stored.outputs.push_back(event.at("data").at("output").get<std::string>());
    }
    stored.ticks.push_back(std::move(tick));
}
}
/// Copies the store's files; false if there is no store yet.
static bool copy_store(const std::string& folder, const test::Folder& copy) {
    for (const char* name : {"weft.db", "weft.db-wal", "weft.db-lock"})
        if (fs::exists(folder + "/" + name)) fs::copy_file(folder + "/" + name, copy.path(name));
    return fs::exists(copy.path("weft.db"));
}
static std::vector<RunRow> rows_of(Store& store) {
    Filter all;
    all.most = 1'000'000;
    return storage::answer_of<std::vector<RunRow>>([&](auto then) { store.list(all, std::move(then)); });
}
std::vector<RunRow> read_rows(const std::string& folder) {
    const test::Folder copy;
    if (!copy_store(folder, copy)) return {};
    SqliteStore store(copy.path("weft.db"));
    return rows_of(store);
}
schedule::ScheduleEvent read_schedule(const std::string& folder) {
    const test::Folder copy;
    copy_store(folder, copy);
    SqliteStore store(copy.path("weft.db"));
    schedule::ScheduleEvent found;
    const auto find = [&]() -> awaitable<void> {
        auto finding = schedule::find(store, "A");
        found = (co_await std::move(finding)).event;
    };
    wait_for(find());
    return found;
}
Stored read_store(const std::string& folder) {
    Stored stored;
    const test::Folder copy;
    if (!copy_store(folder, copy)) return stored;
    SqliteStore store(copy.path("weft.db"));
    const auto rows = rows_of(store);
    if (rows.empty()) return stored;
    const auto history =  // load() checks the checksums of all ticks
        storage::answer_of<History>([&](auto then) { store.load(rows.front().id, std::move(then), 0); });
    stored.is_there = true;
    stored.row = history.run;
    for (auto& tick : history.ticks) add_tick(stored, json::parse(tick.body));
    return stored;
}
void Scenario::live(const Place* place, const std::string& how) {
    server_.worker = 0;
    server_.kill_at = place && place->request ? server_.asked() + place->request : 0;
    if (place) server_.phase = place->phase;
    Work work;
    work.workflow = story_.workflow;
    work.folder = folder_.path("");
    work.url = server_.url();
    work.how = how;
    if (place) work.kill = place->kill;
    work.process = &server_.worker;
    ended_ = run_worker(work);
}
void Scenario::play(const std::vector<Place>& places, const std::string& how, Findings& findings) {
    std::size_t killed = 0;
    for (std::size_t i = 0;; ++i) {
        live(i < places.size() ? &places[i] : nullptr, i == 0 ? "start" : how);
        findings.resumed += i > 0;
        const auto stored = read_store(folder_.path(""));
        compare_with_store(stored, findings);
        if (!ended_.killed) {
            compare_with_deaths(stored, findings);
            break;
        }
        ++killed;
        Death death;
        const auto all = effects(findings);
        for (auto& output : stored.outputs) death.effects[output] = all.contains(output) ? all.at(output) : 0;
        death.stored = stored;
        deaths_.push_back(std::move(death));
    }
    check_memory(findings);
    findings.killed += killed;
    findings.repeated += server_.repeated();
    if (server_.repeated() > killed)
        findings.doubled.push_back(std::to_string(server_.repeated()) + " calls of the model were repeated by " +
                                   std::to_string(killed) + " kills");
}
// The worker's output is true: a worker acts on a record only after it is stored.
void Scenario::compare_with_store(const Stored& stored, Findings& findings) const {
    if (!ended_.lines.empty() && !stored.is_there) return findings.lost.push_back("the run");
    std::map<std::string, std::size_t> begun;
    for (auto& line : ended_.lines) {
        std::istringstream words(line);
        std::string what, step, event, attempt;
        words >> what >> step >> event >> attempt;
        if (what == "step" && attempt == "1" && !is_made_again(event) && !story_.begins_again) ++begun[event];
    }
    for (auto& [event, n] : begun)
        if (const auto at = stored.events.find(event); at == stored.events.end() || at->second < n)
            findings.lost.push_back(event + ", which a step was given");
    const auto asks = [](const json& tick) { return tick.contains("asked"); };
    if (ended_.count("asked") && std::none_of(stored.ticks.begin(), stored.ticks.end(), asks))
        findings.lost.push_back("a question that was asked");
    const auto result = ended_.said(story_.word());
    if (story_.undoes && !result.empty() && stored.row.status != RunStatus::cancelled)
        findings.lost.push_back("a cancellation that was told");
    if (!story_.undoes && !result.empty() &&
        (stored.row.status != RunStatus::done || json::parse(stored.row.outcome).at("data") != json::parse(result)))
        findings.lost.push_back("a result that was told");
}
// Stored work has not happened again.
void Scenario::compare_with_deaths(const Stored& stored, Findings& findings) const {
    if (const auto result = ended_.said(story_.word()); !story_.result.empty() && result != story_.result)
        findings.lost.push_back("the right result: " + ended_.lines.back());
    const auto all = effects(findings);
    for (const char* act : {"book", "undo"})
        for (int i = 1; story_.undoes && i <= 3; ++i)
            if (const auto name = act + std::to_string(i); !all.contains("noted " + name))
                findings.lost.push_back("the effect " + name);
    for (auto& death : deaths_)
        for (auto& [output, n] : death.effects)
            if (!all.contains(output) || all.at(output) != n) findings.doubled.push_back("the effect " + output);
    for (auto& [name, n] : stored.sleeps)
        if (n > 1) findings.doubled.push_back("the end of " + name);
    for (auto& [mail, n] : stored.mails)
        if (n > 1) findings.doubled.push_back("the mail " + mail);
    for (auto& [step, n] : stored.finished) {
        if (story_.begins_again || story_.undoes) break;
        const auto before = deaths_.empty() ? Stored() : deaths_.back().stored;
        const auto at = before.finished.find(step);
        const auto left = n - (at == before.finished.end() ? 0 : at->second);
        const auto begun = ended_.count("step " + step + ' ');
        if (begun > left)
            findings.doubled.push_back("step " + step + ", begun " + std::to_string(begun) + " times where " +
                                       std::to_string(left) + " were left to do");
    }
    if (server_.asked() > stored.chats + deaths_.size())
        findings.doubled.push_back("a call of the model whose reply was recorded");
}
void Scenario::check_memory(Findings& findings) const {
    if (story_.remembered == 0) return;
    const auto memory = json::parse(folder_.read("memory.json"));
    auto questions = memory.at("question_trace").get<std::vector<std::string>>();
    std::sort(questions.begin(), questions.end());
    const auto all = questions.size();
    questions.erase(std::unique(questions.begin(), questions.end()), questions.end());
    if (questions.size() < story_.remembered) findings.lost.push_back("what the run should have remembered");
    if (all > questions.size()) findings.doubled.push_back("what the run has remembered");
}
/// Returns the count of effects by output; an effect has one key in all processes.
std::map<std::string, std::size_t> Scenario::effects(Findings& findings) const {
    std::map<std::string, std::size_t> all;
    std::map<std::string, std::string> keys;
    std::istringstream in(folder_.read("effects"));
    for (std::string line; std::getline(in, line);) {
        const auto text = line.substr(0, line.find(' ')), key = line.substr(text.size());
        if (key.size() < 2) findings.doubled.push_back("the effect " + text + ", which has no key");
        ++all["noted " + text];
        if (const auto known = keys.emplace(text, key).first->second; known != key)
            findings.doubled.push_back("the key of the effect " + text + ", " + known + " and " + key);
    }
    return all;
}
}
