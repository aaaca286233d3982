// Ticks are read leniently: what a later version adds to a body is kept for programs, and otherwise ignored.
#include "workflows/catalog/stored_ticks.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "workflows/catalog/times.hpp"
#include <algorithm>

namespace weft::catalog {
using namespace storage;
namespace {
using nlohmann::json;

constexpr std::size_t largest_body = std::size_t{1} << 30;  // what the store took was not longer

bool is_within(const std::string& run, const std::string& parent) {
    return parent.empty() || run == parent || run.starts_with(parent + '/');
}
/// The n-th event of this name, if the tick has its data.
json data_of(const TickBody& body, const std::string& event, std::size_t n) {
    for (auto& each : body.events)
        if (each.event == event && n-- == 0) return each.data;
    return nullptr;
}
using Questions = std::vector<OpenQuestion>;

void ask(Questions& open, const TickBody& body) {
    std::map<std::string, std::size_t> seen;
    for (auto& asked : body.asked)
        open.push_back({.question = question_id(asked.question, body.run),
                        .event = asked.event,
                        .data = data_of(body, asked.event, seen[asked.event]++),
                        .asked = utc(body.at),
                        .run = body.run.empty() ? std::nullopt : std::optional(body.run),
                        .key = asked.question});
}
/// The question that an answer is for, or the end.
Questions::iterator find_asked(Questions& open, const json& id, const std::string& event, const Fits& fits,
                               const std::function<bool(const OpenQuestion&)>& here) {
    return std::find_if(open.begin(), open.end(), [&](const OpenQuestion& each) {
        return here(each) && !each.answered && (id.is_null() ? fits(event, each.event) : each.key == id);
    });
}
void put_mail(Questions& open, const Mail& mail, const Fits& fits) {
    const auto body = json::parse(mail.body, nullptr, false);
    if (!body.is_object() || !body.contains("event") || !body["event"].is_string()) return;
    const auto id = body.value("question", json());
    const auto path = body.value("run", json(""));
    const auto here = [&](const OpenQuestion& each) { return each.run.value_or("") == path; };
    const auto at = find_asked(open, id, body["event"].get<std::string>(), fits, here);
    if (at != open.end()) at->answered = true;
}
}

std::string question_id(const json& key, const std::string& run) {
    const auto number = key.is_string() ? key.get<std::string>()
                                        : key.dump(-1, ' ', true, json::error_handler_t::replace);
    return run.empty() ? number : run + '#' + number;
}
bool has_cancel(const std::vector<Mail>& mail) {
    return std::ranges::any_of(mail, [](const Mail& each) {
        const auto body = json::parse(each.body, nullptr, false);
        return body.is_object() && body.value("cancel", json()) == true;
    });
}

Tick read_tick(const StoredTick& stored) {
    Tick tick;
    tick.number = stored.seq;
    tick.all = parse_json(stored.body, {.bytes = largest_body});
    tick.body = from_json<TickBody>(tick.all, "tick");
    return tick;
}
std::vector<Tick> read_ticks(const History& history) {
    std::vector<Tick> ticks;
    ticks.reserve(history.ticks.size());
    for (auto& stored : history.ticks) {
        try {
            ticks.push_back(read_tick(stored));
        } catch (const Error& error) {
            throw Error(Code::journal, "run " + history.run.id + ": tick " + std::to_string(stored.seq) +
                                           " cannot be read by this version: " + error.what());
        }
    }
    return ticks;
}
nlohmann::json to_line(const Tick& tick) {
    auto line = tick.all;
    line["kind"] = tick.body.tick;
    line["tick"] = tick.number;
    line.erase("values");  // of RunOptions: for steps and tools only
    for (const auto* time : {"at", "due", "first", "deadline"})
        if (const auto at = line.find(time); at != line.end() && at->is_number_integer())
            *at = utc(at->get<std::int64_t>());
    if (!tick.body.question.is_null()) line["question"] = question_id(tick.body.question, tick.body.run);
    for (std::size_t i = 0; i < tick.body.asked.size(); ++i)
        line["asked"][i]["question"] = question_id(tick.body.asked[i].question, tick.body.run);
    line.emplace("step", nullptr);
    line.emplace("events", json::array());
    line.emplace("slots", json::object());
    return line;
}

std::map<std::string, json> fold_slots(const std::vector<Tick>& ticks) {
    std::map<std::string, json> slots;
    for (auto& tick : ticks) {
        if (!tick.body.run.empty()) continue;
        for (auto& [name, value] : tick.body.slots) slots[name] = value;
        for (auto& [name, items] : tick.body.appended) {
            auto& list = slots[name];
            if (!list.is_array()) list = json::array();
            for (auto& item : items) list.push_back(item);
        }
    }
    return slots;
}

std::vector<OpenQuestion> open_questions(const std::vector<Tick>& ticks, const std::vector<Mail>& mail,
                                         const Fits& fits) {
    Questions open;
    for (auto& tick : ticks) {
        auto& body = tick.body;
        if (body.tick == "arrived")
            for (auto& each : body.events) {
                const auto here = [&](const OpenQuestion& one) { return one.run.value_or("") == body.run; };
                const auto at = find_asked(open, body.question, each.event, fits, here);
                if (at != open.end()) open.erase(at);
            }
        if (body.tick == "ended")
            std::erase_if(open, [&](const OpenQuestion& each) { return is_within(each.run.value_or(""), body.run); });
        ask(open, body);
    }
    for (auto& each : mail) put_mail(open, each, fits);
    return open;
}
}
