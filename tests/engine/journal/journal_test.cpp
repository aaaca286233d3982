// Each kind of record in its fixed form, byte by byte, and the lines that its reader refuses.
#include "engine/error.hpp"
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include <doctest/doctest.h>

using namespace weft;
using namespace weft::journal;
namespace {
/// Reads a record from a line, and writes it as a line again.
std::string written_again(const std::string& line) {
    const auto record = read_record(line);
    return std::visit(
        []<class R>(const R& r) {
            if constexpr (std::is_same_v<R, OtherRecord>) return std::string("other");
            else return write_record(r);
        },
        record);
}
std::string refusal(const std::string& line) {
    try {
        (void)read_record(line);
    } catch (const Error& error) {
        CHECK(error.code() == Code::bad_json);
        return error.what();
    }
    return {};
}
std::vector<JournalEntry> entries_of(const std::vector<std::string>& lines) {
    std::vector<JournalEntry> entries;
    for (auto& line : lines) entries.push_back({entries.size(), read_record(line)});
    return entries;
}
bool by_name(const std::string& event, const std::string& question) { return question == "About" + event; }
}

TEST_CASE("a record read from a line is written as the same line") {
    const std::string lines[] = {
        (R"({"tick":"arrived","at":1,"events":[{"event":"GoEvent","data":{"a":"ä","b":1}}],"slots":{"a":null},)"
         R"("mail":"m1","hash":"0f","plan":"{}","values":{"user":"ada"},"timeout":2.5,"deadline":3})"),
        R"({"tick":"arrived","at":1,"events":[{"event":"GoEvent","data":{}}],"hash":"0f","asked_before":3})",
        R"({"tick":"arrived","at":1,"run":"4.1.1.0","events":[{"event":"TellEvent","data":{}}],"question":7})",
        (R"({"tick":"finished","at":-1,"step":"spread","token":0,"attempt":1,"events":[{"event":"A","sum":"00ff"},)"
         R"({"event":"A","sum":"01ff"}],"fan_out":1,"slots":{"b":{"n":1}},"appended":{"a":[1,"x"]},)"
         R"("asked":[{"question":18446744073709551615,"event":"AskEvent"}]})"),
        (R"j({"tick":"failed","at":1,"step":"try(A)","token":2,"attempt":1,"retry":true,"error":"not \"yet\"\n",)j"
         R"("code":"step_failed","due":5,"first":1})"),
        R"({"tick":"failed","at":1,"step":"try","token":2,"attempt":3,"error":"","code":"step_failed"})",
        R"({"tick":"due","at":5,"step":"try","token":2,"attempt":2})",
        R"({"tick":"ended","at":6,"cause":"timed_out","active_steps":[]})",
        R"({"tick":"ended","at":6,"cause":"timed_out","active_steps":["try","look"]})",
        R"({"tick":"ended","at":6,"cause":"cancelled","mail":"weft:cancel"})",
        R"({"tick":"dropped","at":6,"step":"look","token":1,"attempt":1})",
        R"({"tick":"once","at":1,"step":"ask","token":0,"attempt":1,"name":"chat","value":"text"})",
        R"({"tick":"once","at":1,"step":"ask","token":0,"attempt":1,"name":"","within":1,"value":null})",
        R"({"tick":"once","at":1,"step":"ask","token":0,"attempt":1,"name":"chat","failed":"limit"})",
        R"({"tick":"once","at":1,"step":"ask","token":0,"attempt":1,"name":"chat","failed":"usage","error":""})",
        R"({"tick":"begun","at":1,"run":"1.0.1.0","step":"pay","token":0,"attempt":1,"name":"pay"})",
        R"({"tick":"outcome","at":1,"step":"pay","token":0,"attempt":1,"name":"pay","value":{"a":1}})",
        R"({"at":1,"slots":{"claim":{"text":"x"}},"tick":"edited"})",
        R"({"tick":"refused","at":1,"mail":"m","run":"4.1.1.0"})",
        R"({"tick":"carried","at":1,"hash":"0f","renames":{}})",
        R"({"tick":"carried","at":1,"hash":"0f","renames":{"old":"new"},"run":"4.1.1.0","plan":"{}"})",
    };
    for (const auto& line : lines) {
        CAPTURE(line);
        CHECK(written_again(line) == line);
    }
}
TEST_CASE("questions are appended to the end of a line written without them") {
    const TickRecord tick{.kind = TickKind::due, .at = 1};
    CHECK(with_questions(write_record(tick), {}) == R"({"tick":"due","at":1})");
    CHECK(with_questions(write_record(tick), {{2, "A"}, {3, "B"}}) ==
          R"({"tick":"due","at":1,"asked":[{"question":2,"event":"A"},{"question":3,"event":"B"}]})");
}
TEST_CASE("writing refuses a text that is not UTF-8") {
    CHECK_THROWS_WITH_AS(write_record(RefusedRecord{.at = 1, .mail = "\xff"}),
                         "a text that is to be stored is not UTF-8", Error);
}
TEST_CASE("a record is refused by its place when a required member is missing or has another type") {
    CHECK_FALSE(refusal("{").empty());
    CHECK(refusal("[]") == "tick: expected an object, got an array");
    CHECK(refusal("{}") == "tick.tick: missing, expected a string");
    CHECK(refusal(R"({"tick":7})") == "tick.tick: expected a string, got 7");
    CHECK(refusal(R"({"tick":"finished"})") == "tick.at: missing, expected an integer");
    CHECK(refusal(R"({"tick":"carried","at":1})") == "tick.hash: missing, expected a string");
    CHECK(refusal(R"({"tick":"finished","at":1,"events":{}})") == "tick.events: expected an array, got an object");
    CHECK(refusal(R"({"tick":"finished","at":1,"events":[{"data":{}}]})") ==
          "tick.events[0].event: missing, expected a string");
    CHECK(refusal(R"({"tick":"finished","at":1,"asked":[{"event":"A"}]})") ==
          "tick.asked[0].question: missing, expected a value");
    CHECK(refusal(R"({"tick":"due","at":1,"slots":[]})") == "tick.slots: expected an object, got an array");
    storage::History history;
    history.run.id = "r";
    history.ticks = {{7, "{}", 0}};
    CHECK_THROWS_WITH_AS(read_entries(history),
                         "run r: tick 7 cannot be read by this version: tick.tick: missing, expected a string", Error);
    CHECK_THROWS_WITH_AS(read_entry(history.ticks[0]), "tick 7 cannot be read: tick.tick: missing, expected a string",
                         Error);
}
TEST_CASE("a record of a later version is read as far as it is like a tick") {
    const auto record = read_record(R"({"tick":"paused","at":5,"step":"ask","name":"n","later":[1]})");
    CHECK(kind_of(record) == "paused");
    CHECK(time_of(record) == 5);
    CHECK(labels_of(record).step == "ask");
    CHECK(labels_of(record).name == "n");
    REQUIRE(tick_of(record));
}
TEST_CASE("a snapshot is written with its keys in alphabetical order, and read again") {
    const SnapshotRecord snapshot{.hash = "0f",
                                  .sum = 7,
                                  .plans = {{"0e", "{}"}},
                                  .events = {{"A", {{"n", 1}}, {}}},
                                  .slots = {{"s", 2}},
                                  .state = {{"live", 1}}};
    const std::string text = R"({"events":[{"data":{"n":1},"event":"A"}],"hash":"0f","plans":{"0e":"{}"},)"
                             R"("slots":{"s":2},"state":{"live":1},"sum":7,"tick":"snapshot"})";
    CHECK(write_snapshot(snapshot) == text);
    CHECK(write_snapshot(read_snapshot(text)) == text);
    CHECK_THROWS_AS(read_snapshot("{}"), Error);
}
TEST_CASE("mail has its fixed form, and a text of another form is not read") {
    CHECK(write_mail({.cancel = true}) == R"({"cancel":true})");
    CHECK(write_mail({.data = nullptr, .event = "A"}) == R"({"data":null,"event":"A"})");
    const std::string text = R"({"data":{"n":1},"event":"A","question":2,"run":"4.1.1.0"})";
    REQUIRE(read_mail(text));
    CHECK(write_mail(*read_mail(text)) == text);
    CHECK_FALSE(read_mail("{"));
    CHECK_FALSE(read_mail("[]"));
    CHECK(read_mail(R"({"question":null})")->question);
    CHECK(has_cancel({{"r", "m", R"({"cancel":true})"}}));
    CHECK_FALSE(has_cancel({{"r", "m", R"({"cancel":1})"}, {"r", "n", "{"}}));
}
TEST_CASE("a fold has the declarations of a run, its time limit, and whether it ends") {
    const auto course = fold_course(entries_of({R"({"tick":"arrived","at":1,"hash":"a","timeout":1.5,"deadline":9})",
                                                R"({"tick":"arrived","at":1,"run":"1.0.1.0","hash":"c"})",
                                                R"({"tick":"ended","at":1,"run":"1.0.1.0","cause":"cancelled"})",
                                                R"({"tick":"carried","at":2,"hash":"b","renames":{}})",
                                                R"({"tick":"carried","at":2,"hash":"a","renames":{}})"}));
    CHECK(course.hashes == std::vector<std::string>{"b", "a"});
    CHECK(course.deadline == 9);
    CHECK_FALSE(course.is_ending);
    CHECK(fold_course(entries_of({R"({"tick":"ended","at":1,"cause":"cancelled"})"})).is_ending);
}
TEST_CASE("a question is open until a tick takes its answer, and answered when its answer is in the inbox") {
    const std::string asked = R"({"tick":"finished","at":1,"events":[{"event":"AboutA","data":{"n":1}},)"
                              R"({"event":"AboutA","data":{"n":2}}],)"
                              R"("asked":[{"question":1,"event":"AboutA"},{"question":2,"event":"AboutA"}]})";
    const std::string taken = R"({"tick":"arrived","at":2,"events":[{"event":"A","data":{}}],"question":2})";
    const std::vector<storage::Mail> mail{{"r", "m", R"({"event":"A","data":{}})"}};

    const auto open = fold_questions(entries_of({asked, taken}), mail, by_name);
    REQUIRE(open.size() == 1);
    CHECK(open[0].id == 1);
    CHECK(open[0].data.at("n") == 1);
    CHECK(open[0].answered);
    CHECK(fold_questions(entries_of({asked, R"({"tick":"ended","at":3,"cause":"cancelled"})"}), {}, by_name).empty());
}
TEST_CASE("a line for a fork has no time limit, and one for programs has times and ids as texts") {
    const std::string line =
        R"({"tick":"arrived","at":1,"timeout":2.5,"deadline":3,"values":{},"later":1,"question":7})";
    CHECK(without_timeout(line) == R"({"at":1,"later":1,"question":7,"tick":"arrived","values":{}})");
    const auto told = line_for_programs({4, line, 0}, [](std::int64_t at) { return "at " + std::to_string(at); });
    CHECK(told.dump() == R"({"at":"at 1","deadline":"at 3","events":[],"kind":"arrived","later":1,"question":"7",)"
                         R"("slots":{},"step":null,"tick":4,"timeout":2.5})");
}
