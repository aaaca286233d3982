// Runs of workflows by their definition alone.
#include "engine/engine.hpp"
#include "engine/json.hpp"
#include "engine/json_run.hpp"
#include "engine/observer.hpp"
#include "tests/support/sentence.hpp"
#include <doctest/doctest.h>
using namespace std::chrono_literals;
using namespace weft;
using nlohmann::json;
using testing::sentence;

namespace {
struct WishEvent : StartEvent {
    std::string what;
    int price = 0;
};
BOOST_DESCRIBE_STRUCT(WishEvent, (), (what, price))
struct MayEvent : InputRequiredEvent {
    int price = 0;
};
BOOST_DESCRIBE_STRUCT(MayEvent, (), (price))
struct AllowEvent : Answers<MayEvent> {
    bool granted = false;
};
BOOST_DESCRIBE_STRUCT(AllowEvent, (), (granted))
struct GiftEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(GiftEvent, (), (text))
struct Shelf {
    std::string label;
};

std::variant<MayEvent, GiftEvent> wish(Context&, WishEvent wish, Shelf& shelf) {
    if (wish.price > 10) return MayEvent{.price = wish.price};
    if (wish.price < 0) throw Error(Code::usage, "a price is no less than 0");
    return GiftEvent{.text = wish.what + " from " + shelf.label};
}
GiftEvent allow(Context&, AllowEvent answer) { return {.text = answer.granted ? "yes" : "no"}; }
constexpr auto shop = workflow("shop", step<wish>, step<allow>);

struct VisitEvent : StartEvent {
    bool asks_itself = false;
};
BOOST_DESCRIBE_STRUCT(VisitEvent, (), (asks_itself))
struct LeaveEvent : StopEvent {
    std::string with;
};
BOOST_DESCRIBE_STRUCT(LeaveEvent, (), (with))
awaitable<LeaveEvent> send_child(Context& ctx, Shelf& shelf) {
    const auto child = shop.with(shelf);
    WishEvent wish{.what = "ship", .price = 300};
    const auto gift = co_await ctx.run(child, std::move(wish));
    LeaveEvent leave{.with = gift.text};
    co_return leave;
}
awaitable<std::variant<MayEvent, LeaveEvent>> visit(Context& ctx, VisitEvent visit, Shelf& shelf) {
    if (visit.asks_itself) {
        MayEvent question{.price = 7};
        co_return question;
    }
    auto leave = co_await send_child(ctx, shelf);
    co_return leave;
}
LeaveEvent enter(Context&, AllowEvent answer) { return {.with = answer.granted ? "a ticket" : "nothing"}; }
constexpr auto mall = workflow("mall", step<visit>, step<enter>);  // asks the shop's question
awaitable<LeaveEvent> stroll(Context& ctx, VisitEvent, Shelf& shelf) {
    auto leave = co_await send_child(ctx, shelf);
    co_return leave;
}
constexpr auto street = workflow("street", step<stroll>);  // asks no question itself

struct MuteEvent : StopEvent {
    int n = 0;
};
MuteEvent hush(Context&, VisitEvent) { return {}; }
constexpr auto library = workflow("library", step<hush>);

struct Count : Observer {
    int begun = 0;
    void run_queued(const RunInfo&) noexcept override { ++begun; }
    void run_started(const RunInfo&) noexcept override { ++begun; }
};
struct World {
    Shelf shelf{"the top"};
    Engine engine;
    std::shared_ptr<const Definition> definition = shop.with(shelf).definition;
    JsonRun start(const json& input) { return start_json(engine, definition, input); }
};
}

TEST_CASE("a run takes and gives JSON by its definition alone") {
    World w;
    const auto run = w.start({{"what", "tea"}, {"price", 3}});
    CHECK(w.engine.wait(run.result()) == json{{"text", "tea from the top"}});
    const auto event = w.engine.wait(run.next_event());
    REQUIRE(event);
    CHECK(event->name() == "GiftEvent");
    CHECK(!run.asks(*event));
    CHECK(!w.engine.wait(run.next_event()));
}
TEST_CASE("a question is streamed and answered in JSON") {
    World w;
    auto run = w.start({{"what", "ship"}, {"price", 300}});
    const auto question = w.engine.wait(run.next_event());
    REQUIRE(run.asks(*question));
    CHECK(to_json(*question) == json{{"price", 300}});

    CHECK(sentence(Code::bad_json, [&] {
              run.answer(question->question(), "AllowEvent", {{"granted", 1}});
          }) == "answer.granted: expected a boolean, got 1");
    for (const char* name : {"WishEvent", "GiftEvent", "OtherEvent"})
        CHECK(sentence(Code::usage, [&] { run.answer(question->question(), name, {}); }) ==
              std::string("this workflow takes no ") + name);
    run.answer(question->question(), "AllowEvent", {{"granted", true}});
    CHECK(w.engine.wait(run.result()) == json{{"text", "yes"}});
}
TEST_CASE("a run does not begin from JSON of another event than its start event") {
    World w;
    Count runs;
    const auto start = [&](const json& input) { start_json(w.engine, w.definition, input, {.observer = &runs}); };
    CHECK(sentence(Code::bad_json, [&] { start({{"what", "tea"}}); }) == "input.price: missing, expected an integer");
    CHECK(sentence(Code::bad_json, [&] { start(7); }) == "input: expected an object, got 7");
    const auto run = start_json(w.engine, w.definition, {{"what", "tea"}, {"price", 1}}, {.observer = &runs});
    w.engine.wait(run.result());
    CHECK(runs.begun == 1);
}
TEST_CASE("a workflow is refused before it begins when its stop event has no JSON form") {
    World w;
    Count runs;
    CHECK(sentence(Code::bad_json, [&] {
              start_json(w.engine, library.with().definition, {{"asks_itself", false}}, {.observer = &runs});
          }) == "MuteEvent has no JSON form: describe it with BOOST_DESCRIBE_STRUCT, as engine/describe.hpp shows");
    CHECK(runs.begun == 0);
}
TEST_CASE("a question of a child is answered in JSON like one of the run itself") {
    World w;
    for (const bool itself : {false, true}) {
        auto run = start_json(w.engine, mall.with(w.shelf).definition, {{"asks_itself", itself}}, {.timeout = 10s});
        const auto question = w.engine.wait(run.next_event());
        REQUIRE(run.asks(*question));
        CHECK(to_json(*question) == json{{"price", itself ? 7 : 300}});
        run.answer(question->question(), "AllowEvent", {{"granted", true}});
        CHECK(w.engine.wait(run.result()) == json{{"with", itself ? "a ticket" : "yes"}});
    }
}
TEST_CASE("a child's question of an undeclared type is streamed, and its unknown answer is refused") {
    World w;
    auto run = start_json(w.engine, street.with(w.shelf).definition, {{"asks_itself", false}}, {.timeout = 10s});
    const auto question = w.engine.wait(run.next_event());
    CHECK(question->name() == "MayEvent");
    CHECK(!run.asks(*question));
    CHECK(sentence(Code::usage, [&] {
              run.answer(question->question(), "AllowEvent", {{"granted", true}});
          }) == "this workflow takes no AllowEvent");
    run.cancel();
    CHECK(sentence(Code::cancelled, [&] { w.engine.wait(run.result()); }) != testing::nothing_thrown);
}
TEST_CASE("a child's question is answered in JSON when the declaration names the child") {
    World w;
    const auto definition = with_child(street.with(w.shelf).definition, shop.with(w.shelf).definition);
    REQUIRE(questions(*definition).size() == 1);
    CHECK(questions(*definition)[0].answers.at(0)->name == "AllowEvent");
    auto run = start_json(w.engine, definition, {{"asks_itself", false}}, {.timeout = 10s});
    const auto question = w.engine.wait(run.next_event());
    REQUIRE(run.asks(*question));
    CHECK(sentence(Code::bad_json, [&] {
              run.answer(question->question(), "AllowEvent", {{"granted", 1}});
          }) == "answer.granted: expected a boolean, got 1");
    CHECK(sentence(Code::usage, [&] { run.answer(question->question(), "WishEvent", {}); }) ==
          "this workflow takes no WishEvent");
    run.answer(QuestionId::none, "AllowEvent", {{"granted", false}});  // a question of the child is answered by its id
    CHECK(w.engine.wait(run.next_event())->get_if<UnhandledEvent>());
    run.answer(question->question(), "AllowEvent", {{"granted", true}});
    CHECK(w.engine.wait(run.result()) == json{{"with", "yes"}});
}
TEST_CASE("a run in JSON reports failure and cancellation like other runs") {
    World w;
    const auto failing = w.start({{"what", "tea"}, {"price", -1}});
    CHECK(sentence(Code::usage, [&] { w.engine.wait(failing.result()); }).find("a price is no less than 0") !=
          std::string::npos);
    auto waiting = w.start({{"what", "ship"}, {"price", 300}});
    waiting.cancel();
    CHECK(sentence(Code::cancelled, [&] { w.engine.wait(waiting.result()); }) != testing::nothing_thrown);
}
TEST_CASE("a run started with its types is read and answered in JSON as well") {
    World w;
    auto typed = w.engine.start(shop.with(w.shelf), {.what = "ship", .price = 300});
    JsonRun run(typed);
    const auto question = w.engine.wait(run.next_event());
    run.answer(question->question(), "AllowEvent", {{"granted", false}});
    CHECK(w.engine.wait(typed.result()).text == "no");
    CHECK(run.id() == typed.id());
}
TEST_CASE("runs in JSON wait in the admission queue when their number is limited") {
    Shelf shelf{"below"};
    Engine engine({.runs_at_once = 1});
    const auto definition = shop.with(shelf).definition;
    auto first = start_json(engine, definition, {{"what", "ship"}, {"price", 300}});
    const auto second = start_json(engine, definition, {{"what", "tea"}, {"price", 3}});
    const auto question = engine.wait(first.next_event());
    first.answer(question->question(), "AllowEvent", {{"granted", true}});
    CHECK(engine.wait(second.result()) == json{{"text", "tea from below"}});
}
