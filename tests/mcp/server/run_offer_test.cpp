// Workflows as tools: a call is a run, which asks its questions in the form of each era.
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/common/approvals.hpp"
#include "tests/mcp/server/asking.hpp"
#include "workflows/hello.hpp"
#include "workflows/mcp/run_offer.hpp"
#include "workflows/refund.hpp"

using namespace weft;
using namespace weft::mcp_server;
using nlohmann::json;
using testing::Asking;

namespace {
struct TaskEvent : StartEvent {
    int parts = 0;
};
BOOST_DESCRIBE_STRUCT(TaskEvent, (), (parts))
struct PartDoneEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(PartDoneEvent, (), (number))
struct AllDoneEvent : StopEvent {
    int parts = 0;
};
BOOST_DESCRIBE_STRUCT(AllDoneEvent, (), (parts))
AllDoneEvent do_parts(Context& ctx, TaskEvent task) {
    if (task.parts < 0) throw std::runtime_error("there is less than nothing to do");
    for (int i = 1; i <= task.parts; ++i) ctx.stream(PartDoneEvent{i});
    return {.parts = task.parts};
}
constexpr auto in_parts = workflow("in_parts", step<do_parts>);

struct PairEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(PairEvent, (), ())
struct WhichEvent : InputRequiredEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(WhichEvent, (), (text))
struct ThisEvent : Answers<WhichEvent> {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(ThisEvent, (), (number))
struct SumEvent : StopEvent {
    int sum = 0;
};
BOOST_DESCRIBE_STRUCT(SumEvent, (), (sum))
std::vector<WhichEvent> ask_two(Context&, PairEvent) { return {{.text = "the first?"}, {.text = "the second?"}}; }
SumEvent add_two(Context&, std::vector<ThisEvent> both) {
    SumEvent sum;
    for (const auto& each : both) sum.sum += each.number;
    return sum;
}
constexpr auto pair_of = workflow("pair_of", step<ask_two>, step<add_two>);

struct GuessEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(GuessEvent, (), ())
struct GuessRequestEvent : InputRequiredEvent {
    std::string mistake;
};
BOOST_DESCRIBE_STRUCT(GuessRequestEvent, (), (mistake))
struct GuessAnswerEvent : Answers<GuessRequestEvent> {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(GuessAnswerEvent, (), (number))
struct GuessedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(GuessedEvent, (), ())
GuessRequestEvent ask_guess(Context&, GuessEvent) { return {}; }
std::variant<GuessRequestEvent, GuessedEvent> take_guess(Context&, GuessAnswerEvent guess) {
    if (guess.number == 7) return GuessedEvent{};
    GuessRequestEvent again;
    again.mistake = "it is another number";
    return again;
}
constexpr auto guessing = workflow("guessing", step<ask_guess>, step<take_guess>);

struct WishEvent : StartEvent {
    int bytes = 0;
};
BOOST_DESCRIBE_STRUCT(WishEvent, (), (bytes))
struct RulingEvent : StopEvent {
    std::string decision, reason;
};
BOOST_DESCRIBE_STRUCT(RulingEvent, (), (decision, reason))
agents::ToolApprovalRequestEvent want_to_pay(Context&, WishEvent wish) {
    agents::ToolApprovalRequestEvent request;
    request.tool = "pay";
    request.arguments.text = R"({"to": ")" + std::string(std::size_t(wish.bytes), 'x') + R"("})";
    return request;
}
RulingEvent tell_ruling(Context&, agents::ToolApprovalEvent answer) {
    return {.decision = answer.decision == agents::Decision::reject       ? "reject"
                        : answer.decision == agents::Decision::unanswered ? "unanswered"
                                                                          : "else",
            .reason = answer.reason};
}
constexpr auto wishing = workflow("wishing", step<want_to_pay>, step<tell_ruling>);

struct WhomEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(WhomEvent, (), ())
struct ServedEvent : StopEvent {
    std::string tenant;
};
BOOST_DESCRIBE_STRUCT(ServedEvent, (), (tenant))
ServedEvent tell_tenant(Context& ctx, WhomEvent) { return {.tenant = ctx.values().value("tenant", "nobody")}; }
constexpr auto telling_whom = workflow("telling_whom", step<tell_tenant>);

struct Offered {
    Offered() {
        core.add(offer_run(server::offer(engine, wishing), limits));
        core.add(offer_run(server::offer(engine, workflows::hello, "greets"), limits));
        core.add(offer_run(server::offer(engine, workflows::refund), limits));
        core.add(offer_run(server::offer(engine, in_parts), limits));
        core.add(offer_run(server::offer(engine, pair_of), limits));
        core.add(offer_run(server::offer(engine, guessing), limits));
    }
    explicit Offered(CoreOptions options) : core(std::move(options)) {
        core.add(offer_run(server::offer(engine, telling_whom), limits));
    }
    ~Offered() { core.leave(); }
    testing::ManualClock clock;
    QuestionLimits limits{.waiting = 2};
    Engine engine{EngineOptions{.clock = &clock}};
    Core core{CoreOptions()};
    Asking client{core, engine};
};
json refund_of(double amount) { return {{"name", "refund"}, {"arguments", {{"order", "A-17"}, {"amount", amount}}}}; }
json granted(bool yes) { return {{"action", "accept"}, {"content", {{"granted", yes}}}}; }
/// Makes the next call, with an answer to each question.
json again(json call, const json& asked, const json& answer) {
    for (const auto& [key, question] : asked.at("inputRequests").items()) call["inputResponses"][key] = answer;
    call["requestState"] = asked.at("requestState");
    return call;
}
}

TEST_CASE("a workflow is a tool: its start event the arguments, its stop event the result, also as text") {
    Offered world;

    const auto tools = world.client.modern("tools/list")["tools"];
    const auto result = world.client.modern("tools/call", {{"name", "hello"}, {"arguments", {{"text", "World"}}}});

    REQUIRE(tools[1]["name"] == "hello");
    CHECK(tools[1]["inputSchema"]["required"] == json::array({"text"}));
    CHECK(tools[1]["inputSchema"]["additionalProperties"] == false);
    CHECK(tools[1]["outputSchema"]["properties"]["text"]["type"] == "string");
    CHECK_FALSE(tools[1]["outputSchema"].contains("additionalProperties"));
    CHECK(result["structuredContent"] == json{{"text", "Hello, World!"}});
    CHECK(json::parse(result["content"][0]["text"].get<std::string>()) == result["structuredContent"]);
}
TEST_CASE("the values of a server reach its runs, and no client changes them") {
    CoreOptions options;
    options.values.text = R"({"tenant": "acme"})";
    Offered world(options);
    const json call = {{"name", "telling_whom"}, {"arguments", json::object()}, {"values", {{"tenant", "other"}}}};

    CHECK(world.client.modern("tools/call", call)["structuredContent"]["tenant"] == "acme");

    options.values.text = "[]";
    CHECK_THROWS_AS(Core{options}, Error);
}
TEST_CASE("unfitting input and a failing run are results with a sentence") {
    Offered world;
    const auto unfit = world.client.modern("tools/call", {{"name", "hello"}, {"arguments", {{"text", 7}}}});
    const auto failed = world.client.modern("tools/call", {{"name", "in_parts"}, {"arguments", {{"parts", -1}}}});

    const auto unknown = world.client.modern("tools/call",
                                             {{"name", "hello"}, {"arguments", {{"text", "x"}, {"txt", "y"}}}});

    const auto of_n8n = world.client.modern(
        "tools/call", {{"name", "hello"}, {"arguments", {{"text", "x"}, {"toolCallId", "1"}, {"sessionId", "2"}}}});

    CHECK_FALSE(of_n8n.contains("isError"));
    CHECK(unknown["isError"] == true);
    CHECK(unknown["content"][0]["text"].get<std::string>().find("the call has a field txt") != std::string::npos);
    CHECK(unfit["isError"] == true);
    CHECK(unfit["content"][0]["text"].get<std::string>().find("text") != std::string::npos);
    CHECK(failed["isError"] == true);
    CHECK(failed["content"][0]["text"].get<std::string>().find("less than nothing") != std::string::npos);
    CHECK_FALSE(failed.contains("structuredContent"));
}
TEST_CASE("events of a run are sent as progress") {
    Offered world;
    json call = {{"name", "in_parts"}, {"arguments", {{"parts", 3}}}, {"_meta", testing::modern_meta()}};
    call["_meta"]["progressToken"] = 1;

    world.client.modern("tools/call", call);

    REQUIRE(world.client.told.size() == 3);
    CHECK(world.client.told[2].params == json{{"progressToken", 1}, {"progress", 3}, {"message", "part done"}});
}
TEST_CASE("an older client gets a question while its call continues") {
    Offered world;
    world.client.capabilities = {{"elicitation", json::object()}};
    world.client.answers.push_back(granted(true));

    const auto result = world.client.legacy("tools/call", refund_of(120));

    REQUIRE(world.client.asked.size() == 1);
    CHECK(world.client.asked[0]["method"] == "elicitation/create");
    CHECK(result["structuredContent"]["granted"] == true);
}
TEST_CASE("a modern client gets a question as the result of its call, and the run continues when it calls again") {
    Offered world;
    world.client.capabilities = {{"elicitation", json::object()}};

    const auto asked = world.client.modern("tools/call", refund_of(120));
    REQUIRE(asked["resultType"] == "input_required");
    const auto next = again(refund_of(120), asked, granted(true));
    const auto result = world.client.modern("tools/call", next);

    CHECK(result["structuredContent"]["granted"] == true);
    CHECK(world.client.code_of("tools/call", next) == rpc::code::bad_params);  // valid only once
}
TEST_CASE("a run's questions are asked together, and the unanswered ones again") {
    Offered world;
    world.client.capabilities = {{"elicitation", json::object()}};
    json call = {{"name", "pair_of"}};

    auto asked = world.client.modern("tools/call", call);
    REQUIRE(asked["inputRequests"].size() == 2);
    call["inputResponses"]["q1"] = {{"action", "accept"}, {"content", {{"number", 3}}}};
    call["requestState"] = asked["requestState"];
    asked = world.client.modern("tools/call", call);
    REQUIRE(asked["inputRequests"].size() == 1);
    call["inputResponses"] = {{"q2", {{"action", "accept"}, {"content", {{"number", "four"}}}}}};
    call["requestState"] = asked["requestState"];
    asked = world.client.modern("tools/call", call);
    REQUIRE(asked["resultType"] == "input_required");
    CHECK(asked["inputRequests"]["q2"]["params"]["message"].get<std::string>().find("could not be taken") !=
          std::string::npos);
    call["inputResponses"]["q2"]["content"]["number"] = 4;
    call["requestState"] = asked["requestState"];

    CHECK(world.client.modern("tools/call", call)["structuredContent"]["sum"] == 7);
}
TEST_CASE("a declined question cancels its run, in both eras") {
    Offered world;
    world.client.capabilities = {{"elicitation", json::object()}};
    world.client.answers.push_back(json{{"action", "decline"}});

    const auto older = world.client.legacy("tools/call", refund_of(120));
    const auto asked = world.client.modern("tools/call", refund_of(120));
    const auto newer = world.client.modern("tools/call", again(refund_of(120), asked, {{"action", "cancel"}}));

    CHECK(older["isError"] == true);
    CHECK(newer["isError"] == true);
}
TEST_CASE("a client that answers wrongly again and again gets a bounded number of questions") {
    Offered world;
    world.client.capabilities = {{"elicitation", json::object()}};
    for (int i = 0; i < 20; ++i) world.client.answers.push_back({{"action", "accept"}, {"content", json::object()}});

    const auto older = world.client.legacy("tools/call", refund_of(120));

    CHECK(older["isError"] == true);
    CHECK(world.client.asked.size() == 5);
    json call = refund_of(120);
    auto asked = world.client.modern("tools/call", call);
    for (int i = 0; i < 5; ++i) {
        REQUIRE(asked["resultType"] == "input_required");
        asked = world.client.modern("tools/call",
                                    again(call, asked, {{"action", "accept"}, {"content", json::object()}}));
    }
    CHECK(asked["isError"] == true);
}
TEST_CASE("a run that refuses all answers asks a bounded number of questions") {
    Offered world;
    world.client.capabilities = {{"elicitation", json::object()}};
    for (int i = 0; i < 20; ++i) world.client.answers.push_back({{"action", "accept"}, {"content", {{"number", i}}}});

    const auto result = world.client.legacy("tools/call", {{"name", "guessing"}});

    CHECK(result["isError"] == true);
    CHECK(world.client.asked.size() == 5);
}
TEST_CASE("an agent continues without a call that the client declines or cannot be asked about") {
    Offered world;
    const auto ruling = [&](int bytes) {
        const json call = {{"name", "wishing"}, {"arguments", {{"bytes", bytes}}}};
        return world.client.legacy("tools/call", call).at("structuredContent");
    };
    CHECK(ruling(10)["decision"] == "unanswered");
    world.client.capabilities = {{"elicitation", json::object()}};
    world.client.answers.push_back(json{{"action", "decline"}});
    CHECK(ruling(10) == json{{"decision", "reject"}, {"reason", "the question was declined"}});
    CHECK(world.client.asked.size() == 1);
    CHECK(ruling(100'000)["decision"] == "unanswered");
    CHECK(world.client.asked.size() == 1);
}
TEST_CASE("a client without support for questions gets an error that says so") {
    Offered world;
    CHECK(world.client.code_of("tools/call", refund_of(120)) == rpc::code::missing_capability);
    CHECK(world.client.legacy("tools/call", refund_of(120))["isError"] == true);
    CHECK(world.client.modern("tools/call", refund_of(20))["structuredContent"]["granted"] == true);
}
TEST_CASE("runs waiting for an answer are bounded, in number and in time") {
    Offered world;
    world.client.capabilities = {{"elicitation", json::object()}};

    const auto first = world.client.modern("tools/call", refund_of(120));
    world.client.modern("tools/call", refund_of(121));
    CHECK(world.client.modern("tools/call", refund_of(122))["isError"] == true);
    world.clock.advance(std::chrono::hours(2));

    CHECK(world.client.code_of("tools/call", again(refund_of(120), first, granted(true))) == rpc::code::bad_params);
    CHECK(world.client.modern("tools/call", refund_of(123))["resultType"] == "input_required");
}
TEST_CASE("a question's state is valid only for the arguments and the caller of its call") {
    Offered world;
    world.client.capabilities = {{"elicitation", json::object()}};

    world.client.principal = "Ada";
    const auto asked = world.client.modern("tools/call", refund_of(120));

    CHECK(world.client.code_of("tools/call", again(refund_of(120000), asked, granted(true))) == rpc::code::bad_params);
    for (const auto* other : {"Bob", ""}) {
        world.client.principal = other;
        CHECK(world.client.code_of("tools/call", again(refund_of(120), asked, granted(true))) == rpc::code::bad_params);
    }
    world.client.principal = "Ada";
    CHECK(world.client.modern("tools/call",
                              again(refund_of(120), asked, granted(false)))["structuredContent"]["granted"] == false);
}
