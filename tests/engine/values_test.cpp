// Values of a run: every step and child reads them, and a durable run keeps them.
#include "engine/durable.hpp"
#include "engine/fork.hpp"
#include "engine/replay.hpp"
#include "engine/testing/await.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
using namespace weft;
using namespace weft::storage;
using namespace dying;

namespace {
struct ServeEvent : StartEvent {
    int rounds = 0;
};
BOOST_DESCRIBE_STRUCT(ServeEvent, (), (rounds))
struct TurnEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(TurnEvent, (), (left))
struct ServedEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ServedEvent, (), (text))
struct HelpEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(HelpEvent, (), ())
struct HelpedEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(HelpedEvent, (), (text))

std::string tenant(const Context& ctx) { return ctx.values().value("tenant", std::string("nobody")); }
awaitable<HelpedEvent> help(Context& ctx, HelpEvent) {
    co_await sleep_for(std::chrono::milliseconds(1));
    HelpedEvent helped;
    helped.text = tenant(ctx);
    co_return helped;
}
inline constexpr auto helping = workflow("helping", step<help>);

TurnEvent begin(Context&, ServeEvent e) { return {.left = e.rounds}; }
awaitable<std::variant<TurnEvent, ServedEvent>> turn(Context& ctx, TurnEvent e) {
    co_await sleep_for(std::chrono::milliseconds(1));
    if (e.left > 0) co_return TurnEvent{.left = e.left - 1};
    HelpEvent inherits, own;
    auto child = co_await ctx.run(durable(helping), std::move(inherits));
    RunOptions options;
    options.values.text = R"({"tenant": "other"})";
    auto other = co_await ctx.run(durable(helping), std::move(own), std::move(options));
    ServedEvent served;
    served.text = tenant(ctx) + " " + child.text + " " + other.text;
    co_return served;
}
inline constexpr auto serving = workflow("serving", step<begin>, step<turn>);
RunOptions with_values(std::string text, std::string id = {}) {
    RunOptions options;
    options.values.text = std::move(text);
    options.id = std::move(id);
    return options;
}
std::string refusal(const std::string& text) {
    try {
        run(helping, {}, with_values(text));
    } catch (const Error& error) { return error.what(); }
    return {};
}
}

TEST_CASE("every step of a run reads its values, and children inherit them unless they have their own") {
    CHECK(run(serving, {}, with_values(R"({"tenant": "acme", "user": 17})")).text == "acme acme other");
    CHECK(run(serving, {}).text == "nobody nobody other");
    Context alone;
    CHECK(alone.values() == nlohmann::json::object());
}
TEST_CASE("values are a small object, and the sentence that refuses others shows nothing of them") {
    for (const std::string& text :
         {std::string("[1]"), std::string("{\"secret\": "), std::string("\"secret\""),
          "{\"a\": \"" + std::string(17 << 10, 's') + "\"}", std::string(20, '[') + std::string(20, ']')}) {
        const auto sentence = refusal(text);
        CHECK(sentence.starts_with("the values of a run"));
        CHECK(sentence.find("secret") == sentence.npos);
    }
    CHECK(refusal("").empty());
    CHECK(refusal(" {} ").empty());
}
TEST_CASE("a run resumes with its initial values wherever the process dies") {
    for (const std::uint32_t every : {0u, 2u}) {  // without and with snapshots
        for (long left = 1;; ++left) {
            CAPTURE(left);
            REQUIRE(left < 60);
            MemoryStore store;
            bool done = false;
            {
                Dying dies(store, left);
                asio::io_context io{1};
                Loop loop(io.get_executor(), {.store = &dies, .snapshot_every = every});
                auto run = loop.start(durable(serving), {.rounds = 5}, with_values(R"({"tenant": "acme"})", "r"));
                io.run();
                done = run.ended();
            }
            if (ticks_of(store, "r").empty()) continue;
            if (!done) free_all(store);
            Shop shop(store);
            auto run = resume_on(shop.loop, durable(serving), "r", with_values(R"({"tenant": "forged"})"));
            shop.io.run();
            CHECK(run.outcome().text == "acme acme other");
            if (done) break;
        }
    }
}
TEST_CASE("a fork and a replay have the values of the run, and a store without values has none") {
    MemoryStore store;
    {
        Shop shop(store);
        auto run = shop.loop.start(durable(serving), {.rounds = 1}, with_values(R"({"tenant": "acme"})", "r"));
        auto none = shop.loop.start(durable(serving), {.rounds = 1}, {.id = "none"});
        shop.io.run();
        CHECK(none.outcome().text == "nobody nobody other");
    }
    const auto id = fork(store, "r", 1);
    Shop shop(store);
    auto run = resume_on(shop.loop, durable(serving), id);
    shop.io.run();
    CHECK(run.outcome().text == "acme acme other");
    CHECK(ticks_of(store, "r").at(0).at("values") == nlohmann::json{{"tenant", "acme"}});
    CHECK_FALSE(ticks_of(store, "none").at(0).contains("values"));
    CHECK_FALSE(replay(durable(serving), history_of(store, "r")).difference);
}
