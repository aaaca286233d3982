// The question of an answer: by type, by id, by age; and reports of answers without a question.
#include "engine/testing/recorder.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

namespace {
struct GoEvent : StartEvent {
    int n = 1;
};
struct EndEvent : StopEvent {
    std::string text;
};
struct PriceEvent : InputRequiredEvent {
    int i = 0;
};
struct PriceReplyEvent : Answers<PriceEvent> {
    std::string text;
};
struct ColourEvent : InputRequiredEvent {
    int i = 0;
};
struct ColourReplyEvent : Answers<ColourEvent> {
    std::string text;
};
struct RemarkEvent : HumanResponseEvent {  // answers any question without a declared answer, or none
    std::string text;
};
struct OpenEvent : InputRequiredEvent {};
struct DoneEvent {
    std::string text;
};
using Question = std::variant<PriceEvent, ColourEvent>;
std::vector<Question> ask_both(Context&, GoEvent e) {
    std::vector<Question> all;
    for (int i = 0; i < e.n; ++i) {
        all.emplace_back(PriceEvent{{}, i});
        all.emplace_back(ColourEvent{{}, i});
    }
    return all;
}
DoneEvent price(Context&, PriceReplyEvent e) { return {"price " + e.text}; }
DoneEvent colour(Context&, ColourReplyEvent e) { return {"colour " + e.text}; }
EndEvent join(Context&, std::vector<DoneEvent> all) {
    EndEvent end;
    for (auto& d : all) end.text += (end.text.empty() ? "" : ", ") + d.text;
    return end;
}
inline constexpr auto shop = workflow("shop", step<ask_both>, step<price>, step<colour>, step<join>);

struct Asked {  // the events of a reader
    std::vector<QuestionId> prices, colours;
    Names others;
};
template <class R> awaitable<void> watch(R run, Asked& asked) {
    while (auto event = co_await run.next_event()) {
        if (event->template get_if<PriceEvent>()) asked.prices.push_back(event->question());
        else if (event->template get_if<ColourEvent>()) asked.colours.push_back(event->question());
        else asked.others.emplace_back(event->name());
    }
}
struct Shop {
    Asked asked;  // before the loop, whose end resumes the reader
    World world;
    Run<std::remove_const_t<decltype(shop)>> run;
    explicit Shop(int n) : run(world.loop.start(shop, {.n = n})) {
        world.spawn(watch(run, asked));
        turn();
    }
    void turn() { world.turn(); }
};
}

TEST_CASE("an answer by id closes only a question of its type; a wrong one is reported and closes none") {
    Shop s(1);
    REQUIRE(s.asked.prices.size() == 1);
    REQUIRE(s.asked.colours.size() == 1);
    s.run.send(PriceReplyEvent{{}, "wrong"}, s.asked.colours[0]);
    s.run.send(ColourReplyEvent{{}, "wrong"}, s.asked.prices[0]);
    s.turn();
    CHECK(s.asked.others == Names{"UnhandledEvent", "UnhandledEvent"});
    CHECK(!s.run.ended());
    s.run.send(ColourReplyEvent{{}, "red"}, s.asked.colours[0]);
    s.run.send(PriceReplyEvent{{}, "5"}, s.asked.prices[0]);
    s.turn();
    CHECK(s.run.outcome().text == "price 5, colour red");
}
TEST_CASE("an answer without an id closes the oldest open question of its type") {
    Shop s(3);
    s.run.send(ColourReplyEvent{{}, "a"});
    s.run.send(PriceReplyEvent{{}, "1"}, s.asked.prices[1]);  // from the middle
    s.run.send(ColourReplyEvent{{}, "b"});
    s.run.send(PriceReplyEvent{{}, "0"});
    s.run.send(PriceReplyEvent{{}, "2"});
    s.run.send(PriceReplyEvent{{}, "none is left"});
    s.turn();
    CHECK(s.asked.others == Names{"UnhandledEvent"});
    CHECK(s.run.idle());
    s.run.send(ColourReplyEvent{{}, "c"}, s.asked.colours[2]);
    s.turn();
    CHECK(s.run.outcome().text == "price 0, colour a, price 1, colour b, price 2, colour c");
}
TEST_CASE("open questions take answers in any order") {
    for (const auto& order : std::vector<std::vector<std::size_t>>{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}}) {
        Shop s(3);
        for (auto i : order) {
            s.run.send(PriceReplyEvent{{}, std::to_string(i)}, s.asked.prices[i]);
            s.run.send(PriceReplyEvent{{}, "again"}, s.asked.prices[i]);  // the question is closed
            s.turn();
        }
        CHECK(s.asked.others == Names(3, "UnhandledEvent"));
        for (auto i : order) s.run.send(ColourReplyEvent{{}, std::to_string(i)}, s.asked.colours[i]);
        s.turn();
        CHECK(s.run.outcome().text == "price 0, colour 0, price 1, colour 1, price 2, colour 2");
    }
}
namespace {
PriceEvent ask_price(Context&, GoEvent) { return {}; }
std::variant<PriceEvent, EndEvent> haggle(Context&, PriceReplyEvent e) {
    if (e.text == "done") return EndEvent{{}, e.text};
    return PriceEvent{};
}
inline constexpr auto market = workflow("market", step<ask_price>, step<haggle>);
}
TEST_CASE("an id of an answered question never addresses a later question in the same memory") {
    Asked asked;
    World w;
    auto run = w.loop.start(market, {});
    w.spawn(watch(run, asked));
    w.turn();
    for (std::size_t round = 1; round <= 3; ++round) {
        REQUIRE(asked.prices.size() == round);
        run.send(PriceReplyEvent{{}, "less"}, asked.prices.back());
        w.turn();
        for (auto old : asked.prices)
            if (old != asked.prices.back()) run.send(PriceReplyEvent{{}, "done"}, old);
        w.turn();
        CHECK(run.idle());
    }
    CHECK(asked.others == Names(1 + 2 + 3, "UnhandledEvent"));
    run.send(PriceReplyEvent{{}, "done"}, asked.prices.back());
    w.turn();
    CHECK(run.outcome().text == "done");
}

namespace {
OpenEvent ask_openly(Context&, GoEvent) { return {}; }
EndEvent conclude(Context&, RemarkEvent e) { return {{}, e.text}; }
inline constexpr auto talk = workflow("talk", step<ask_openly>, step<conclude>);

EndEvent sell(Context&, PriceReplyEvent e) { return {{}, e.text}; }
std::optional<EndEvent> listen(Context& ctx, RemarkEvent e) {
    ctx.stream(DoneEvent{e.text});
    return std::nullopt;
}
inline constexpr auto mixed = workflow("mixed", step<ask_price>, step<sell>, step<listen>);
}
TEST_CASE("a response declared for no question answers an open question, or is an event by itself") {
    CHECK(testing::run(talk, {}, {}, testing::answer<OpenEvent>([](const OpenEvent&) {
                           return RemarkEvent{{}, "fine"};
                       }))
              .text == "fine");

    World w;
    auto early = w.loop.start(talk, {});
    early.send(RemarkEvent{{}, "unasked"});  // before the question: the event is not an answer
    w.turn();
    CHECK(early.outcome().text == "unasked");
}
TEST_CASE("a response without a question closes no question of another event; with an id it is refused") {
    Asked asked;
    World w;
    auto run = w.loop.start(mixed, {});
    w.spawn(watch(run, asked));
    w.turn();
    REQUIRE(asked.prices.size() == 1);
    run.send(RemarkEvent{{}, "unasked"});
    w.turn();
    CHECK(asked.others == Names{"DoneEvent"});
    run.send(RemarkEvent{{}, "to a question of others"}, asked.prices[0]);
    run.send(RemarkEvent{{}, "to no question at all"}, QuestionId(77));
    w.turn();
    CHECK(asked.others == Names{"DoneEvent", "UnhandledEvent", "UnhandledEvent"});
    run.send(PriceReplyEvent{{}, "5"}, asked.prices[0]);
    w.turn();
    CHECK(run.outcome().text == "5");
}
TEST_CASE("a response to one question only is reported when that question is not open") {
    Asked asked;
    World w;
    auto run = w.loop.start(mixed, {});
    run.send(PriceReplyEvent{{}, "too early"});
    w.spawn(watch(run, asked));
    w.turn();
    CHECK(asked.others == Names{"UnhandledEvent"});
    CHECK(run.idle());
}

namespace {
std::vector<PriceEvent> ask_often(Context&, GoEvent e) { return std::vector<PriceEvent>(std::size_t(e.n)); }
EndEvent collect(Context&, std::vector<PriceReplyEvent> all) { return {{}, std::to_string(all.size())}; }
inline constexpr auto census = workflow("census", step<ask_often>, step<collect>);
}
TEST_CASE("a diagnosis names every open question, up to a bound") {
    World w;
    const auto of = [&](int n) {
        auto run = w.loop.start(census, {.n = n});
        w.turn();
        auto text = run.diagnosis();
        run.cancel();
        w.turn();
        CHECK(run.diagnosis() == "the run has ended");
        return text;
    };
    const std::string one = "an answer to PriceEvent (PriceReplyEvent, for step collect)";
    CHECK(of(2) == "the run is idle: it waits for " + one + ", " + one);
    const auto many = of(1000);
    CHECK(many.ends_with(one + ", ..."));
    CHECK(many == of(500));
    CHECK(many.size() > 500);
    CHECK(many.size() < 700);
}
TEST_CASE("a diagnosis says whether a run works, and names the answer that it waits for") {
    World w;
    auto run = w.loop.start(mixed, {});
    CHECK(run.diagnosis().starts_with("the run is at work: step ask_price "));
    auto silent = w.loop.start(mixed, {});
    w.turn();
    CHECK(silent.diagnosis() ==
          "the run is idle: it waits for an answer to PriceEvent (PriceReplyEvent, for step sell)");
    auto open = w.loop.start(talk, {});
    w.turn();
    CHECK(open.diagnosis() == "the run is idle: it waits for an answer to OpenEvent (RemarkEvent, for step conclude)");
}

namespace {
std::optional<EndEvent> note_down(Context&, PriceReplyEvent) { return std::nullopt; }
inline constexpr auto twice_heard = workflow("twice_heard", step<ask_price>, step<sell>, step<note_down>);
std::optional<EndEvent> quietly(Context&, DoneEvent) { return std::nullopt; }
DoneEvent lead_nowhere(Context&, GoEvent) { return {}; }
inline constexpr auto nowhere = workflow("nowhere", step<lead_nowhere>, step<quietly>);
}
TEST_CASE("a diagnosis names every step that accepts an answer, or says that a branch has ended") {
    World w;
    auto run = w.loop.start(twice_heard, {});
    auto other = w.loop.start(nowhere, {});
    w.turn();
    CHECK(run.diagnosis() == "the run is idle: it waits for an answer to PriceEvent "
                             "(PriceReplyEvent, for step sell, for step note_down)");
    CHECK(other.diagnosis() == "the run is idle: no step has anything to do, and no question is open; "
                               "a branch has ended without emitting");
}
