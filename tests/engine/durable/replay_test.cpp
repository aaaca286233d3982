// A replay calls a stored run's steps again, and names the first difference.
#include "engine/durable.hpp"
#include "engine/fork.hpp"
#include "engine/once.hpp"
#include "engine/replay.hpp"
#include "engine/testing/replays.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include <sstream>
using namespace weft;
using namespace weft::storage;
using namespace dying;

namespace {
struct AskedEvent : StartEvent {
    std::string question;
};
BOOST_DESCRIBE_STRUCT(AskedEvent, (), (question))
struct PromptEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(PromptEvent, (), (text))
struct LookUpEvent {
    std::string word;
};
BOOST_DESCRIBE_STRUCT(LookUpEvent, (), (word))
struct FoundEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(FoundEvent, (), (text))
struct SaidEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(SaidEvent, (), (text))
struct Words : Growing<std::string> {};
struct Tally {
    int asked = 0;
    int cached = 0;  // only in a later version
    static constexpr std::string_view optional_fields[] = {"cached"};
};
BOOST_DESCRIBE_STRUCT(Tally, (), (asked, cached))
struct Program {  // the parts that change between a run and its replay
    std::string greeting = "Dear model, ";
    int asked = 0, looked_up = 0;
    bool adds = true;
    std::string mark;  // after its added text
};
SaidEvent count(Context& ctx, AskedEvent e) {
    ctx.edit<Tally>([](auto& tally) { ++tally.asked; });
    return {.text = e.question};
}
inline constexpr auto counting = workflow("counting", step<count>);
PromptEvent write(Context&, AskedEvent e, Program& program) { return {.text = program.greeting + e.question}; }
awaitable<std::string> reply(Program& program, std::string prompt) {
    co_await sleep_for(std::chrono::milliseconds(1));
    ++program.asked;
    co_return "reply to " + prompt;
}
awaitable<std::vector<LookUpEvent>> ask(Context& ctx, PromptEvent prompt, Program& program) {
    auto asking = reply(program, prompt.text);
    const auto text = co_await ctx.once("chat", std::move(asking));
    if (program.adds) ctx.edit<Words>([&](auto& words) { words.push_back(text + program.mark); });
    std::vector<LookUpEvent> all(2);
    all[0].word = text;
    all[1].word = "again";
    co_return all;
}
awaitable<FoundEvent> look_up(Context&, LookUpEvent e, Program& program) {
    co_await sleep_for(std::chrono::milliseconds(1));
    ++program.looked_up;
    FoundEvent found;
    found.text = e.word + "!";
    co_return found;
}
SaidEvent conclude(Context& ctx, std::vector<FoundEvent> found) {
    return {.text = found[0].text + std::to_string(ctx.get<Words>().size())};
}
inline constexpr auto asking = workflow("asking", step<write>.repeatable(), step<ask>, step<look_up>, step<conclude>);
History history_of_a_run(MemoryStore& store, Program& program) {
    Shop shop(store);
    auto run = shop.loop.start(durable(asking.with(program)), {.question = "why?"}, {.id = "r"});
    shop.io.run();
    REQUIRE(run.outcome().text == "reply to Dear model, why?!1");
    return history_of(store, "r");
}
}
TEST_CASE("a replay by the same program finds no difference, and does no work again") {
    MemoryStore store;
    Program program;
    const auto history = history_of_a_run(store, program);
    const auto replayed = replay(durable(asking.with(program)), history);
    CHECK_FALSE(replayed.difference);
    CHECK(replayed.steps == 3);    // write, ask, conclude
    CHECK(replayed.skipped == 2);  // look_up has no record
    CHECK(program.asked == 1);
    CHECK(program.looked_up == 2);
}
TEST_CASE("a replay finds no difference when a slot has a new optional field") {
    MemoryStore store;
    Shop shop(store);
    auto run = shop.loop.start(durable<Tally>(counting), {.question = "why?"}, {.id = "r"});
    shop.io.run();
    const auto stored_before = [&](const std::string& now, const std::string& then) {
        auto history = history_of(store, "r");
        for (auto& tick : history.ticks)
            if (const auto at = tick.body.find(now); at != tick.body.npos) tick.body.replace(at, now.size(), then);
        return replay(durable<Tally>(counting), history);
    };
    CHECK_FALSE(stored_before(R"({"asked":1,"cached":0})", R"({"asked":1})").difference);
    const auto other = stored_before(R"({"asked":1,"cached":0})", R"({"asked":2})");
    REQUIRE(other.difference);
    CHECK(other.difference->what == "its slots differ at /tally/asked: stored 2, now 1");
}
TEST_CASE("a replay names the step and place at which another program emits another event") {
    MemoryStore store;
    Program program;
    const auto history = history_of_a_run(store, program);
    program.greeting = "Hey model, ";
    auto replayed = replay(durable(asking.with(program)), history);
    REQUIRE(replayed.difference);
    CHECK(replayed.difference->sentence() == "step write has another result at tick 1: its event PromptEvent differs");
    program.greeting = "Dear model, ";
    program.adds = false;
    replayed = replay(durable(asking.with(program)), history);
    REQUIRE(replayed.difference);
    CHECK(replayed.difference->step == "ask");
    CHECK(replayed.difference->what == "its slots differ at /words: "
                                       R"(stored ["reply to Dear model, why?"], now nothing)");
    program.adds = true;
    program.mark = " \x1b[1m";
    replayed = replay(durable(asking.with(program)), history);
    REQUIRE(replayed.difference);
    CHECK(replayed.difference->what ==
          "its slots differ at /words/0, from its character 26 on: "
          R"(stored "reply to Dear model, why?", now "reply to Dear model, why? \u001b[1m")");
}
TEST_CASE("a replay finds the place of a difference when the event is stored as a checksum") {
    MemoryStore store;
    Program program;
    const auto history = history_of_a_run(store, program);
    auto until = history;
    until.ticks.resize(2);
    const auto before = replay(durable(asking.with(program)), until);
    program.greeting = "Hey model, ";
    const auto now = replay(durable(asking.with(program)), history);

    REQUIRE(now.difference);
    CHECK(now.difference->is_of_checksum);
    CHECK_FALSE(before.difference);
    CHECK(difference_between(before, now) ==
          R"( at /text, from its character 1 on: stored "Dear model, why?", now "Hey model, why?")");
    CHECK(difference_between(before, before).empty());
    CHECK(difference_between({}, now).empty());
}
TEST_CASE("a replay shows the part around the first difference when texts are long") {
    const auto made = [](const nlohmann::json& data) {
        return Replayed{.steps = 1,
                        .skipped = 0,
                        .difference = {},
                        .made = nlohmann::json::array({{{"event", "E"}, {"data", data}}}).dump()};
    };
    const auto told = [&](const nlohmann::json& one, const nlohmann::json& other) {
        return difference_between(made(one), made(other));
    };
    const std::string long_one(1000, 'x'), umlauts = "\u00e4\u00f6\u00fc";

    CHECK(told({{"a", umlauts + "1"}}, {{"a", umlauts + "2"}}) ==
          R"( at /a, from its character 4 on: stored "\u00e4\u00f6\u00fc1", now "\u00e4\u00f6\u00fc2")");
    CHECK(told({{"a", long_one + "1" + long_one}}, {{"a", long_one + "2"}}) ==
          " at /a, from its character 1001 on: stored ...\"" + std::string(30, 'x') + "1" + std::string(49, 'x') +
              "\"..., now ...\"" + std::string(30, 'x') + "2\"");
    CHECK(told({{"a", {1, 2}}}, {{"a", {1, 2, 3}}}) == " at /a/2: stored nothing, now 3");
    CHECK(told({{"a", {1, 2}}}, {{"a", nlohmann::json::array({1})}}) == " at /a/1: stored 2, now nothing");
    CHECK(told({{"a", 1}}, {{"a", long_one}}) == " at /a: stored 1, now \"" + std::string(79, 'x') + "...");
}
TEST_CASE("a workflow without durable runs cannot be replayed") {
    Program program;
    CHECK_THROWS_WITH_AS(replay(asking.with(program), History()), doctest::Contains("durable()"), Error);
}
TEST_CASE("a fork begins with the records of another run and continues by itself; the other one stays as it is") {
    MemoryStore store;
    Program program;
    const auto history = history_of_a_run(store, program);
    for (std::uint64_t at = 0; at < history.ticks.size(); ++at) {
        CAPTURE(at);
        const auto id = fork(store, "r", at);
        Shop shop(store);
        auto run = resume_on(shop.loop, durable(asking.with(program)), id);
        shop.io.run();
        CHECK(run.outcome().text == "reply to Dear model, why?!1");
        CHECK(history_of(store, id).run.status == RunStatus::done);
    }
    const auto after = history_of(store, "r");
    CHECK(after.ticks.size() == history.ticks.size());
    CHECK(after.run.outcome == history.run.outcome);
    CHECK_THROWS_WITH_AS(fork(store, "r", 99), doctest::Contains("and none with the number 99"), Error);
    CHECK_THROWS_WITH_AS(fork(store, "r", 1, {.slots = {{"words", "[1,"}}}),
                         doctest::Contains("slot words is not JSON"), Error);
    CHECK_THROWS_WITH_AS(fork(store, "nobody", 0), doctest::Contains("nobody"), Error);
}
TEST_CASE("a slot set by a fork is visible to its steps") {
    MemoryStore store;
    Program program;
    history_of_a_run(store, program);
    const auto id = fork(store, "r", 2, {.id = "mine", .slots = {{"words", R"(["a", "b", "c"])"}}});
    CHECK(id == "mine");
    Shop shop(store);
    auto run = resume_on(shop.loop, durable(asking.with(program)), id);
    shop.io.run();
    CHECK(run.outcome().text == "reply to Dear model, why?!4");
    CHECK(history_of(store, id).run.forked_from == "r");
}
TEST_CASE("a fork immediately refuses an unknown slot and a value of another type") {
    MemoryStore store;
    Program program;
    const auto history = history_of_a_run(store, program);
    const auto stored = durable(asking.with(program));
    const auto refused = [&](const char* slot, const char* value, const char* sentence) {
        CHECK_THROWS_WITH_AS(fork(store, stored, "r", 1, {.id = "f", .slots = {{slot, value}}}),
                             doctest::Contains(sentence), Error);
        CHECK_THROWS_WITH_AS(history_of(store, "f"), doctest::Contains("no run f"), Error);
    };
    refused("word", "[]", "the workflow asking has no slot word; it has words");
    refused("words", "[1]", "words");
    refused("words", "{}", "words");
    refused("words", "[", "slot words is not JSON");
    CHECK_THROWS_WITH_AS(check_slots(*asking.with(program).definition, {}), doctest::Contains("wrap it in durable()"),
                         Error);
    CHECK(fork(store, stored, "r", 1, {.id = "f", .slots = {{"words", R"(["a"])"}}}) == "f");
}
TEST_CASE("a replay in a test is a check that names the first difference") {
    MemoryStore store;
    Program program;
    const auto history = history_of_a_run(store, program);
    const auto stored = durable(asking.with(program));
    const auto told = [&] {
        std::ostringstream text;
        text << testing::replays(stored, store, "r");
        return text.str();
    };
    CHECK(testing::replays(stored, store, "r"));
    CHECK(told() == "3 steps made again, 2 skipped: no difference");
    program.greeting = "Hey model, ";
    CHECK_FALSE(testing::replays(stored, store, "r"));
    CHECK(told().ends_with(
        "1 step made again, 0 skipped: step write has another result at tick 1: its event PromptEvent differs"));
    CHECK_THROWS_AS(testing::replays(stored, store, "nobody"), Error);
}
TEST_CASE("a replay is an error with both declarations when the run's records do not fit the workflow") {
    MemoryStore store;
    Program program;
    auto history = history_of_a_run(store, program);
    const auto stored = durable(asking.with(program));
    history.run.hash = "0123";
    CHECK_FALSE(replay(stored, history).difference);  // the run still fits
    history.ticks[0].body.replace(history.ticks[0].body.find("AskedEvent"), 10, "AskedEvemt");
    CHECK_THROWS_WITH_AS(replay(stored, history), doctest::Contains("the run has another declaration (0123)"), Error);
    history.ticks[1].body = "{\"tick\": \"finished\"}";
    CHECK_THROWS_WITH_AS(replay(stored, history), doctest::Contains("run r cannot be replayed: "), Error);
}
