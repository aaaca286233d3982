// Events and slots of a workflow to JSON and back, by its definition alone.
#include "engine/event_json.hpp"
#include "engine/json.hpp"
#include "engine/testing/recorder.hpp"
#include "tests/support/sentence.hpp"
#include <doctest/doctest.h>
using namespace weft;
using nlohmann::json;

namespace {
enum class Size { small, large };
BOOST_DESCRIBE_ENUM(Size, small, large)
struct Item {
    std::string name;
    std::optional<int> count;
    std::vector<Item> inside;
};
BOOST_DESCRIBE_STRUCT(Item, (), (name, count, inside))
struct OrderEvent : StartEvent {
    std::vector<Item> items;
    Size size = Size::small;
    JsonText note{"{}"};
    static constexpr std::string_view optional_fields[] = {"size", "note"};
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (items, size, note))
struct CheckEvent {
    std::variant<std::monostate, Item, std::vector<std::string>> found;
};
BOOST_DESCRIBE_STRUCT(CheckEvent, (), (found))
struct MayEvent : InputRequiredEvent {
    std::string question;
};
BOOST_DESCRIBE_STRUCT(MayEvent, (), (question))
struct SoBeItEvent : Answers<MayEvent> {
    bool granted = false;
};
BOOST_DESCRIBE_STRUCT(SoBeItEvent, (), (granted))
struct BillEvent : StopEvent {
    double total = 0;
};
BOOST_DESCRIBE_STRUCT(BillEvent, (), (total))
struct ProgressEvent {
    std::string of;
    bool done = false;
};
BOOST_DESCRIBE_STRUCT(ProgressEvent, (), (of, done))
struct PlainEvent {
    int secret = 0;
};
struct Opaque {
    void* handle = nullptr;
};
struct HalfEvent {
    std::string text;
    std::vector<Opaque> opaque;
};
BOOST_DESCRIBE_STRUCT(HalfEvent, (), (text, opaque))
struct HeldEvent {
    explicit HeldEvent(int number) : n(number) {}
    int n;
};
BOOST_DESCRIBE_STRUCT(HeldEvent, (), (n))
namespace here {
struct Spot {
    int x = 0;
};
BOOST_DESCRIBE_STRUCT(Spot, (), (x))
}
namespace there {
struct Spot {
    int y = 0;
};
BOOST_DESCRIBE_STRUCT(Spot, (), (y))
}
struct OddEvent {
    std::variant<here::Spot, there::Spot> which;
};
BOOST_DESCRIBE_STRUCT(OddEvent, (), (which))
struct Seen : Growing<Item> {};
struct Limit {
    int most = 3;
};
BOOST_DESCRIBE_STRUCT(Limit, (), (most))

CheckEvent check(Context& ctx, OrderEvent order) {
    ctx.edit<Seen>([&](auto& seen) { seen.push_back(order.items.at(0)); });
    ctx.edit<Limit>([](auto& limit) { limit.most = 5; });
    ctx.stream(ProgressEvent{.of = "check", .done = true});
    ctx.stream(PlainEvent{});
    ctx.stream(HalfEvent{});
    return {.found = std::vector<std::string>{"a", "b"}};
}
MayEvent ask(Context&, CheckEvent) { return {.question = "may I?"}; }
BillEvent bill(Context&, SoBeItEvent answer) { return {.total = answer.granted ? 2.5 : 0}; }
constexpr auto shop = workflow("shop", step<check>, step<ask>, step<bill>);

struct NameEvent : InputRequiredEvent {};  // without a declared answer
struct SpokenEvent : HumanResponseEvent {};
MayEvent knock(Context&, OrderEvent) { return {}; }
NameEvent open(Context&, SoBeItEvent) { return {}; }
BillEvent greet(Context&, SpokenEvent) { return {}; }
constexpr auto door = workflow("door", step<open>, step<knock>, step<greet>);  // an answer is its first event

std::string sentence(auto&& act) { return testing::sentence(Code::bad_json, act); }
const EventType& type_of(const Definition& d, std::string_view name) {
    const auto* found = find_event(d, name);
    REQUIRE(found);
    return *found;
}
testing::Recorder events_of_a_run() {
    testing::Recorder seen;
    OrderEvent order;
    order.items.push_back({.name = "tea"});
    testing::run(shop, order, {.recorder = &seen},
                 testing::answer<MayEvent>([](const MayEvent&) { return SoBeItEvent{.granted = true}; }));
    return seen;
}
}

TEST_CASE("every event of a workflow is read and written by its definition alone, and stays the same") {
    const auto definition = core::Definitions::define(shop);
    const std::map<std::string, json> events{
        {"OrderEvent", json::parse(R"({"items": [{"name": "tea", "count": 2, "inside": [{"name": "cup", "count": null,
                                    "inside": []}]}], "size": "large", "note": {"a": [1, null]}})")},
        {"CheckEvent", json::parse(R"({"found": {"Item": {"name": "tea", "count": null, "inside": []}}})")},
        {"MayEvent", json::parse(R"({"question": "may I?"})")},
        {"SoBeItEvent", json::parse(R"({"granted": true})")},
        {"BillEvent", json::parse(R"({"total": 2.5})")}};
    REQUIRE(definition->events.size() == events.size());

    for (const auto& type : definition->events) {
        CAPTURE(type.name);
        const auto& data = events.at(std::string(type.name));
        CHECK(to_json(type, read_event(type, data).get()) == data);
    }
}
TEST_CASE("an outlined workflow reads and writes its events, too") {
    const auto definition = core::outline(shop);
    const auto& bill = type_of(definition, "BillEvent");
    CHECK(to_json(bill, read_event(bill, {{"total", 7}}).get()) == json{{"total", 7.0}});
}
TEST_CASE("an event that JSON cannot make is refused by a sentence that begins with its name") {
    const auto definition = core::Definitions::define(shop);
    const auto& order = type_of(*definition, "OrderEvent");
    CHECK(sentence([&] { read_event(order, json::parse(R"({"items": [{"name": 7}]})")); }) ==
          "OrderEvent.items[0].name: expected a string, got 7");
    CHECK(sentence([&] { read_event(order, json::object()); }) == "OrderEvent.items: missing, expected an array");
    CHECK(sentence([&] { read_event(order, json::array()); }) == "OrderEvent: expected an object, got an array");
}
TEST_CASE("an event of any workflow's stream becomes JSON") {
    const auto seen = events_of_a_run();
    REQUIRE(seen.names() ==
            std::vector<std::string>{"ProgressEvent", "PlainEvent", "HalfEvent", "MayEvent", "BillEvent"});
    CHECK(to_json(seen[0]).dump() == R"({"done":true,"of":"check"})");
    CHECK(to_json(seen[3]).dump() == R"({"question":"may I?"})");
    CHECK(to_json(seen[4]).dump() == R"({"total":2.5})");
}
TEST_CASE("an event is refused by its name when it or a member lacks a description") {
    const auto seen = events_of_a_run();
    CHECK(sentence([&] { to_json(seen[1]); }) ==
          "PlainEvent has no JSON form: describe it with BOOST_DESCRIBE_STRUCT, as engine/describe.hpp shows");
    CHECK(to_json(AnyEvent(new core::Published::Of<RunBegunAgainEvent>({}))) == json::object());  // no member

    HalfEvent half;
    half.opaque.resize(1);
    CHECK(sentence([&] { to_json(AnyEvent(new core::Published::Of<HalfEvent>(half))); }) ==
          "HalfEvent.opaque[0]: Opaque has no JSON form: describe it with BOOST_DESCRIBE_STRUCT, as "
          "engine/describe.hpp shows");
}
TEST_CASE("a type without a description has nothing in the tables, and costs nothing") {
    CHECK(core::Published::Of<PlainEvent>::of_type.shape == nullptr);
    CHECK(core::describe_event<PlainEvent>().shape == nullptr);
    CHECK(core::slot_type<Opaque>.shape == nullptr);
    CHECK(core::Published::Of<ProgressEvent>::of_type.shape == core::describe_event<ProgressEvent>().shape);
}
TEST_CASE("unreadable or unwritable values of described types are refused with their name") {
    const auto read = [](const EventType& type, const char* text) {
        return sentence([&] { read_event(type, json::parse(text)); });
    };
    CHECK(read(core::describe_event<HeldEvent>(), R"({"n": 1})") ==
          "HeldEvent cannot be read: give it a default constructor");
    const OddEvent odd;
    CHECK(
        sentence([&] { to_json(core::describe_event<OddEvent>(), &odd); }) ==
        "OddEvent.which: variant<Spot, Spot> has a description that JSON cannot follow: call to_json with a value, and "
        "the compiler says why");
}
TEST_CASE("terminal events and failures have data like other events") {
    const auto data = [](auto event) { return to_json(AnyEvent(new core::Published::Of<decltype(event)>(event))); };
    CHECK(data(RunFailedEvent{.step = "bill", .error = "no\xFF", .code = Code::timed_out, .attempts = 2}) ==
          json{{"step", "bill"}, {"error", "no\xEF\xBF\xBD"}, {"code", "timed_out"}, {"attempts", 2}});
    CHECK(data(RunTimedOutEvent{.timeout = 1.5, .active_steps = {"ask"}}) ==
          json{{"timeout", 1.5}, {"active_steps", {"ask"}}, {"undo_error", ""}});
    FailedEvent<MayEvent> failed;
    failed.step = "ask";
    failed.event.question = "may I?";
    CHECK(data(failed)["event"] == json{{"question", "may I?"}});
    CHECK(data(failed)["step"] == "ask");
}
TEST_CASE("every code has the same name in JSON as in messages") {
    for (int i = 0; i <= int(Code::script_mismatch); ++i) CHECK(to_json(Code(i)) == std::string(name(Code(i))));
}
TEST_CASE("slots are written and read by their tables") {
    SlotValues left;
    OrderEvent order;
    order.items.push_back({.name = "tea"});
    testing::run(shop, order, {.left = &left},
                 testing::answer<MayEvent>([](const MayEvent&) { return SoBeItEvent{}; }));
    std::map<std::string, json> written;
    for (auto* n = core::PrivateAccess::slots(left)->first(); n; n = n->next)
        written[std::string(n->type->name)] = to_json(*n->type, n->value());
    CHECK(written.at("Seen").dump() == R"([{"count":null,"inside":[],"name":"tea"}])");
    CHECK(written.at("Limit") == json{{"most", 5}});

    Seen seen;
    read_slot(core::slot_type<Seen>, written.at("Seen"), &seen);
    CHECK(seen.size() == 1);
    CHECK(seen.back().name == "tea");
    Limit limit;
    CHECK(sentence([&] {
              read_slot(core::slot_type<Limit>, {{"most", "all"}}, &limit);
          }) == "Limit.most: expected an integer, got a string");
}
TEST_CASE("a definition lists its start and stop events, its questions, and their answers") {
    const auto definition = core::outline(shop);
    CHECK(start_event(definition).name == "OrderEvent");
    CHECK(stop_event(definition).name == "BillEvent");
    CHECK(find_event(definition, "ProgressEvent") == nullptr);
    const auto asked = questions(definition);
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].asks->name == "MayEvent");
    REQUIRE(asked[0].answers.size() == 1);
    CHECK(asked[0].answers[0]->name == "SoBeItEvent");
    CHECK(schema(stop_event(definition))["required"] == json::array({"total"}));
    CHECK(schema(*asked[0].asks) == schema<MayEvent>());
}
TEST_CASE("a universal answer answers each question that no other event is declared to answer") {
    const auto definition = core::outline(door);
    std::map<std::string_view, std::vector<std::string_view>> answers;
    for (auto& question : questions(definition))
        for (auto* answer : question.answers) answers[question.asks->name].push_back(answer->name);
    CHECK(answers == std::map<std::string_view, std::vector<std::string_view>>{{"MayEvent", {"SoBeItEvent"}},
                                                                               {"NameEvent", {"SpokenEvent"}}});
}
