// A changed program either continues stored runs, or refuses them in a sentence and leaves them unchanged in the store.
#include "engine/core/record.hpp"
#include "engine/core/stored_plan.hpp"
#include "engine/durable.hpp"
#include "engine/fork.hpp"
#include "engine/growing.hpp"
#include "engine/once.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/timed.hpp"
#include <functional>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::storage;
using namespace dying;
using namespace std::chrono_literals;

namespace {
struct InputEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(InputEvent, (), (n))
struct PromptEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(PromptEvent, (), (text))
struct EndEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (text))

EndEvent end_of(std::string text) {
    EndEvent end;
    end.text = std::move(text);
    return end;
}
template <class W> void begin(MemoryStore& store, const W& workflow) {
    testing::ManualClock clock;
    Timed world(clock, store);
    world.loop.start(workflow, {.n = 4}, {.id = "r"});
    world.run();
}
/// Checks that a declaration refuses the run with the reason, and stores no record.
template <class W> void refuses(MemoryStore& store, const W& workflow, const char* why, const RunOptions& o = {}) {
    const auto before = history_of(store, "r").ticks.size();
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = resume_on(world.loop, workflow, "r", o);
    world.until([&] { return run.ended(); });
    CHECK_THROWS_WITH(run.outcome(), doctest::Contains(why));
    const auto after = history_of(store, "r");
    CHECK(after.ticks.size() == before);
    CHECK_FALSE(has_ended(after.run.status));
    free_all(store);
}
template <class W> std::string goes_on(MemoryStore& store, const W& workflow) {
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = resume_on(world.loop, workflow, "r");
    world.until([&] { return run.ended(); });
    return run.outcome().text;
}

// --- a step's input ---
namespace input {
awaitable<EndEvent> chat(Context&, InputEvent event) {
    co_await sleep_for(1h);
    co_return end_of("input " + std::to_string(event.n));
}
}
namespace prompt {
PromptEvent render(Context&, InputEvent) { return {.text = "a prompt"}; }
awaitable<EndEvent> chat(Context&, PromptEvent event) {
    co_await sleep_for(1h);
    co_return end_of(event.text);
}
}
inline constexpr auto of_input = workflow("talk", step<input::chat>);
inline constexpr auto of_prompt = workflow("talk", step<prompt::render>, step<prompt::chat>);

std::vector<PromptEvent> split(Context&, InputEvent) { return {{.text = "a"}, {.text = "b"}}; }
namespace each {
awaitable<EndEvent> gather(Context&, PromptEvent event) {
    co_await sleep_for(1h);
    co_return end_of(event.text);
}
}
namespace list {
awaitable<EndEvent> gather(Context&, std::vector<PromptEvent> events) {
    co_await sleep_for(1h);
    co_return end_of(std::to_string(events.size()));
}
}
inline constexpr auto of_each = workflow("gathering", step<split>, step<each::gather>);
inline constexpr auto of_list = workflow("gathering", step<split>, step<list::gather>);

// --- a join ---
namespace joined {
awaitable<EndEvent> meet(Context&, InputEvent, PromptEvent prompt) {
    co_await sleep_for(1h);
    co_return end_of(prompt.text);
}
}
namespace swapped {
awaitable<EndEvent> meet(Context&, PromptEvent prompt, InputEvent) {
    co_await sleep_for(1h);
    co_return end_of(prompt.text);
}
}
inline constexpr auto of_joined = workflow("meeting", step<joined::meet>, step<prompt::render>);
inline constexpr auto of_swapped = workflow("meeting", step<swapped::meet>, step<prompt::render>);

// --- two that become one ---
PromptEvent ask_all(Context&, InputEvent) { return {}; }
awaitable<EndEvent> go_left(Context&, PromptEvent) {
    co_await sleep_for(1h);
    co_return end_of("left");
}
awaitable<EndEvent> go_right(Context&, PromptEvent) {
    co_await sleep_for(2h);
    co_return end_of("right");
}
awaitable<EndEvent> go(Context&, PromptEvent) {
    co_await sleep_for(1h);
    co_return end_of("on");
}
inline constexpr auto two_ways = workflow("ways", step<ask_all>, step<go_left>, step<go_right>);
inline constexpr auto one_way = workflow("ways", step<ask_all>, step<go>);
}
TEST_CASE("a changed step is named when it no longer accepts its stored event, and the run stays as it is") {
    MemoryStore store;
    begin(store, durable<>(of_input));
    refuses(store, durable<>(of_prompt), "step chat has been given InputEvent, which it does not accept now");
    CHECK(goes_on(store, durable<>(of_input)) == "input 4");
}
TEST_CASE("a changed step is refused when its stored input is one event and it takes a list, or the reverse") {
    MemoryStore store;
    begin(store, durable<>(of_each));
    refuses(store, durable<>(of_list), "step gather has been given its events in another form");
    CHECK(goes_on(store, durable<>(of_each)) == "a");
    MemoryStore other;
    begin(other, durable<>(of_list));
    refuses(other, durable<>(of_each), "step gather has been given its events in another form");
    CHECK(goes_on(other, durable<>(of_list)) == "2");
}
TEST_CASE("a join that has begun is refused when it takes its events in another order, and the run stays as it is") {
    MemoryStore store;
    begin(store, durable<>(of_joined));

    refuses(
        store, durable<>(of_swapped),
        "step meet joins PromptEvent and InputEvent now, but joined other events before: InputEvent and PromptEvent");

    CHECK(goes_on(store, durable<>(of_joined)) == "a prompt");
}
TEST_CASE("two steps cannot both take one name") {
    MemoryStore store;
    begin(store, durable<>(two_ways));
    refuses(store, durable<>(one_way), "go_left and go_right cannot both be called go now",
            {.renames = {{"go_left", "go"}, {"go_right", "go"}}});
    CHECK(goes_on(store, durable<>(two_ways)) == "left");
}

// --- child runs and recorded work ---
namespace {
awaitable<EndEvent> now(Context&, InputEvent event) {
    co_await sleep_for(1h);
    co_return end_of("now " + std::to_string(event.n));
}
inline constexpr auto of_now = workflow("talk", step<now>);
awaitable<int> seven() { co_return 7; }
namespace before {
awaitable<EndEvent> delegate(Context& ctx, InputEvent event) {
    auto child = durable<>(of_input);
    auto end = co_await ctx.run(std::move(child), std::move(event));
    co_return end_of("child: " + end.text);
}
awaitable<EndEvent> record(Context& ctx, InputEvent) {
    auto work = seven();
    const int n = co_await ctx.once("first", std::move(work));
    co_await sleep_for(1h);
    co_return end_of(std::to_string(n));
}
}
namespace after {
awaitable<EndEvent> delegate(Context& ctx, InputEvent event) {
    auto child = durable<>(of_now);
    auto end = co_await ctx.run(std::move(child), std::move(event));
    co_return end_of("child: " + end.text);
}
awaitable<EndEvent> record(Context& ctx, InputEvent) {
    auto work = seven();
    const int n = co_await ctx.once("other", std::move(work));
    co_return end_of(std::to_string(n));
}
}
inline constexpr auto parent = workflow("parent", step<before::delegate>);
inline constexpr auto parent_of_now = workflow("parent", step<after::delegate>);
inline constexpr auto recording = workflow("recording", step<before::record>);
inline constexpr auto recording_other = workflow("recording", step<after::record>);
}
TEST_CASE("a child that cannot resume leaves its whole run in the store, and uses its parent's renames") {
    MemoryStore store;
    begin(store, durable<>(parent));
    refuses(store, durable<>(parent_of_now), "does not have step chat: declare it again");
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(parent_of_now), "r", {.renames = {{"chat", "now"}}});
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().text == "child: now 4");
}
TEST_CASE("a step leaves the run in the store when it requests work other than the recorded one") {
    MemoryStore store;
    begin(store, durable<>(recording));
    refuses(store, durable<>(recording_other), "asks for 'other' where it has recorded 'first'");
    CHECK(goes_on(store, durable<>(recording)) == "7");
}

// --- slots and plans ---
namespace {
namespace growing {
struct Diary : Growing<std::string> {};
}
namespace plain {
struct Diary {
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(Diary, (), (count))
}
awaitable<EndEvent> read_diary(Context&, PromptEvent) {
    co_await sleep_for(1h);
    co_return end_of("read");
}
PromptEvent write_diary(Context& ctx, InputEvent) {
    ctx.edit<growing::Diary>([](auto& diary) { diary.push_back("a"); });
    return {};
}
inline constexpr auto diary = workflow("diary", step<write_diary>, step<read_diary>);
}
TEST_CASE("a slot is named when it was stored as a list and is no longer a list") {
    MemoryStore store;
    begin(store, durable<growing::Diary>(diary));
    refuses(store, durable<plain::Diary>(diary), "the slot diary, which is not a list that grows any more");
    CHECK(goes_on(store, durable<growing::Diary>(diary)) == "read");
}
TEST_CASE("a slot is refused when two types have its name and durable<...> lists neither") {
    MemoryStore store;
    begin(store, durable<growing::Diary>(diary));
    refuses(store, durable(diary), "two types of slots are stored under the name diary: rename one, or list");
    CHECK(goes_on(store, durable<growing::Diary>(diary)) == "read");
}
TEST_CASE("the error names a stored slot when no step uses it any more") {
    MemoryStore store;
    begin(store, durable<>(of_prompt));
    fork(store, "r", 0, {.id = "f", .slots = {{"slot_of_old", "{}"}}});
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(of_prompt), "f");
    world.until([&] { return run.ended(); });
    CHECK_THROWS_WITH(
        run.outcome(),
        "the run failed: a stored run of talk has a slot slot_of_old, which no step stores, and which is not "
        "among those of its durable<...>: list it there");
}
TEST_CASE("a stored plan is refused when its numbers lead to nothing, or its hash differs") {
    using namespace core;
    const auto definition = durable<>(of_prompt).definition;
    const auto& form = *definition->durable;
    CHECK(read_plan(form.plan, form.hash).steps.size() == 2);
    CHECK_THROWS_WITH_AS(read_plan(form.plan + " ", form.hash), doctest::Contains("was changed"), Error);
    const auto refused = [&](const std::function<void(nlohmann::json&)>& change) {
        auto plan = nlohmann::json::parse(form.plan);
        change(plan);
        const auto text = plan.dump();
        CAPTURE(text);
        CHECK_THROWS_WITH_AS(read_plan(text, hex(storage::chained_sum(0, 0, text))), doctest::Contains("stored plan"),
                             Error);
    };
    refused([](auto& all) { all.erase("steps"); });
    refused([](auto& all) { all["steps"].push_back("more"); });
    refused([](auto& all) { all["events"].erase(0); });
    refused([](auto& all) { all["plan"]["steps"].clear(); });
    refused([](auto& all) { all["plan"]["consumers"][0]["step"] = 2; });
    refused([](auto& all) { all["plan"]["consumers"][0]["part"] = 1; });
    refused([](auto& all) { all["plan"]["events"][0]["first"] = 60'000; });
    refused([](auto& all) { all["plan"]["events"][0]["count"] = 60'000; });
    refused([](auto& all) { all["plan"]["events"][0]["only"] = 2; });
    refused([](auto& all) { all["plan"]["events"][0]["answers"] = 0; });
    refused([](auto& all) { all["plan"]["events"][0]["role"] = "request"; });
    refused([](auto& all) { all["plan"]["steps"][0]["first_fan"] = 1; });
    refused([](auto& all) { all["plan"]["steps"][0]["handler"] = 2; });
    refused([](auto& all) { all["plan"]["steps"][0]["workers"] = 0; });
    refused([](auto& all) { all["plan"]["steps"][0]["takes"] = "parts"; });
    refused([](auto& all) { all["plan"]["steps"][0]["parts"] = 0; });
    refused([](auto& all) { all["plan"]["steps"][0]["first"] = 3; });
    refused([](auto& all) { all["plan"]["questions"] = 1; });
    refused([](auto& all) { all["plan"]["has_first"] = true; });
    refused([](auto& all) { all["plan"]["fan_outs"].push_back({{"collectors", 8}, {"meets", false}}); });
}

// --- answers under a former name ---
namespace {
struct AskEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(AskEvent, (), ())
struct TellEvent : Answers<AskEvent> {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(TellEvent, (), (text))
struct ReplyEvent : Answers<AskEvent> {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ReplyEvent, (), (text))
AskEvent ask(Context&, InputEvent) { return {}; }
template <class Child> awaitable<EndEvent> let_ask_by(Context& ctx, InputEvent event, Child child) {
    auto end = co_await ctx.run(std::move(child), std::move(event));
    co_return end;
}
namespace told {
EndEvent end(Context&, TellEvent answer) { return end_of("told " + answer.text); }
inline constexpr auto asking = workflow("asking", step<ask>, step<end>);
awaitable<EndEvent> let_ask(Context& ctx, InputEvent event) { return let_ask_by(ctx, event, durable<>(asking)); }
inline constexpr auto asking_parent = workflow("asking_parent", step<let_ask>);
}
namespace replied {
EndEvent end(Context&, ReplyEvent answer) { return end_of("told " + answer.text); }
inline constexpr auto asking = workflow("asking", step<ask>, step<end>);
awaitable<EndEvent> let_ask(Context& ctx, InputEvent event) { return let_ask_by(ctx, event, durable<>(asking)); }
inline constexpr auto asking_parent = workflow("asking_parent", step<let_ask>);
}
void send(MemoryStore& store, const char* id, const std::string& body) {
    store.send({"r", id, body}, [](std::exception_ptr error, SendReply) { REQUIRE_FALSE(error); });
}
/// Continues under the present declaration, and returns the run's end.
template <class W> std::string end_after_mail(MemoryStore& store, const W& workflow, const RunOptions& options) {
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = resume_on(world.loop, workflow, "r", options);
    world.run();
    auto text = run.ended() ? run.outcome().text : std::string();
    world.run();
    return text;
}
const RunOptions as_reply{.renames = {{"TellEvent", "ReplyEvent"}}};
}
TEST_CASE("an answer in the mail is taken when its event has been renamed since it was sent") {
    MemoryStore store;
    begin(store, durable<>(told::asking));
    send(store, "a", R"({"event": "TellEvent", "data": {"text": "before"}})");
    free_all(store);
    CHECK(end_after_mail(store, durable<>(replied::asking), as_reply) == "told before");
}
TEST_CASE("an answer in the mail is taken under its former name when an earlier process knew the new one") {
    MemoryStore store;
    begin(store, durable<>(told::asking));
    free_all(store);
    CHECK(end_after_mail(store, durable<>(replied::asking), as_reply).empty());
    send(store, "a", R"({"event": "TellEvent", "data": {"text": "late"}})");
    free_all(store);
    CHECK(end_after_mail(store, durable<>(replied::asking), {}) == "told late");
}
TEST_CASE("an answer for a child is taken from the mail when its event has been renamed since it was sent") {
    MemoryStore store;
    begin(store, durable<>(told::asking_parent));
    std::string path;
    for (auto& tick : history_of(store, "r").ticks)
        if (const auto body = nlohmann::json::parse(tick.body); body.contains("run"))
            path = body["run"].get<std::string>();
    REQUIRE_FALSE(path.empty());
    send(store, "a", R"({"event": "TellEvent", "data": {"text": "within"}, "run": ")" + path + "\"}");
    free_all(store);
    CHECK(end_after_mail(store, durable<>(replied::asking_parent), as_reply) == "told within");
}
