// Permissions in runs of agents: blocked calls, tools allowed for a whole run, and calls in arguments.
#include "engine/durable.hpp"
#include "engine/testing/recorder.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/approvals.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/reflect.hpp"
#include "tests/support/tool_agent.hpp"
#include "tools/changing.hpp"
#include "tools/wrapper.hpp"
using namespace test;
using nlohmann::json;

namespace {
/// An agent with two changing tools, and a reading one.
struct Desk {
    NativeAgent agent;
    std::vector<std::string> log;
    testing::Recorder seen;
    Desk() {
        for (const std::string name : {"pay", "mail"}) agent.add(tools::changing(tool(name)));
        agent.add(tool("look"));
    }
    std::shared_ptr<tools::Tool> tool(const std::string& name) {
        return std::make_shared<FunctionTool>(name, [this, name](const json& arguments) {
            log.push_back(name + arguments.dump());
            return tools::Observation{name + "!"};
        });
    }
    template <class... Listener> AnswerEvent run(models::ChatModel& model, Listener... listeners) {
        UserMessageEvent question;
        question.text = "Work.";
        const auto bound = workflows::tool_agent.with(model, agent.memory, agent.tools, agent.options);
        return testing::run(bound, question, {.recorder = &seen}, std::move(listeners)...);
    }
    std::size_t asked() const { return seen.all<ToolApprovalRequestEvent>().size(); }
};
models::ToolCall make(const std::string& id, const std::string& tool, const std::string& arguments = "{}") {
    return {id, tool, arguments};
}
/// A model that makes the calls of each turn, and then answers.
AskedModel turns(std::vector<std::vector<models::ToolCall>> all) {
    return AskedModel([all = std::move(all), turn = std::size_t(0)](const models::ChatRequest&) mutable {
        return turn < all.size() ? calls(all[turn++]) : say("Done.");
    });
}
ToolApprovalEvent say_so(Decision decision, std::string arguments = {}, std::string reason = {}) {
    ToolApprovalEvent answer;
    answer.decision = decision;
    answer.arguments.text = std::move(arguments);
    answer.reason = std::move(reason);
    return answer;
}
auto each(Decision decision, std::string arguments = {}, std::string reason = {}) {
    return testing::answer<ToolApprovalRequestEvent>(
        [answer = say_so(decision, std::move(arguments), std::move(reason))](const auto&) { return answer; });
}
using Log = std::vector<std::string>;
ToolCallEvent nested(const std::string& outer, std::vector<std::string> inner) {
    ToolCallEvent call;
    call.id = "call_1";
    call.tool = outer;
    json arguments = json::object();
    for (std::size_t i = 0; i < inner.size(); ++i) {
        const auto name = "a" + std::to_string(i);
        arguments[name] = 0;
        call.inner.push_back({inner[i], {R"({"n": 1})"}, int(inner.size()), "/" + name});
    }
    call.arguments.text = arguments.dump();
    return call;
}
}

TEST_CASE("a tool that changes data needs approval, and one that only reads does not") {
    Desk desk;
    auto model = turns({{make("a", "pay"), make("b", "look")}});
    CHECK(desk.run(model, each(Decision::approve)).response == "Done.");
    CHECK(desk.log == Log{"pay{}", "look{}"});
    REQUIRE(desk.asked() == 1);
    CHECK(desk.seen.all<ToolApprovalRequestEvent>()[0].why == "it may change something");
}
TEST_CASE("a tool allowed for the run needs no second approval, and another tool needs one") {
    Desk desk;
    auto model = turns(
        {{make("a", "pay", R"({"n": 1})")}, {make("b", "pay", R"({"n": 2})"), make("c", "mail")}, {make("d", "pay")}});
    const auto answer = desk.run(model, each(Decision::always));
    CHECK(desk.log == Log{R"(pay{"n":1})", R"(pay{"n":2})", "mail{}", "pay{}"});
    CHECK(desk.asked() == 2);
    REQUIRE(answer.always_allowed.size() == 2);
    CHECK(answer.always_allowed[0].tool == "pay");
    auto again = turns({{make("a", "pay")}});
    desk.run(again, each(Decision::reject));  // another run
    CHECK(desk.asked() == 3);
    CHECK(desk.log.size() == 4);
}
TEST_CASE("an allowed tool with a changed description needs a new approval") {
    Desk desk;
    Context ctx;
    const auto call = [](const std::string& tool) {
        ToolCallEvent one;
        one.id = "call_1";
        one.tool = tool;
        one.arguments.text = "{}";
        return one;
    };
    REQUIRE(ask_for_approvals(ctx, {call("pay")}, desk.agent.tools).size() == 1);
    hear_approvals(ctx, {say_so(Decision::always)}, desk.agent.tools);
    CHECK(ask_for_approvals(ctx, {call("pay")}, desk.agent.tools).empty());
    struct Other final : tools::ToolWrapper {
        explicit Other(std::shared_ptr<tools::Tool> tool) : ToolWrapper(std::move(tool)) {}
        const std::string text = "Pays everything.";
        const std::string& description() const override { return text; }
    };
    tools::Registry changed;
    changed.add(std::make_shared<Other>(tools::changing(desk.tool("pay"))));
    CHECK(ask_for_approvals(ctx, {call("pay")}, changed).size() == 1);
    CHECK_FALSE(testing::await(call_tool(ctx, call("pay"), changed)).ran);
    CHECK(desk.log.empty());
}
TEST_CASE("a blocked call neither runs nor asks; the model gets the reason, which counts as no fault") {
    for (const auto mode : {tools::PermissionMode::ask, tools::PermissionMode::yes}) {
        Desk desk;
        desk.agent.options.max_faults = 1;
        tools::Permissions permissions{.mode = mode, .deny = {"mail"}};
        permissions.rules.push_back([](std::string_view tool, const json& a) -> std::optional<tools::Verdict> {
            if (tool != "pay" || a.value("n", 0) <= 10) return std::nullopt;
            return tools::Verdict{tools::Permission::block, "more than 10 is not paid"};
        });
        desk.agent.tools.permit(permissions);
        auto model = turns({{make("a", "pay", R"({"n": 11})"), make("b", "mail")}});
        CHECK(desk.run(model).response == "Done.");
        CHECK(desk.log.empty());
        CHECK(desk.asked() == 0);
        const auto seen = desk.seen.all<ObservationEvent>();
        REQUIRE(seen.size() == 2);
        CHECK(seen[0].text == "Error: pay was not called: it is blocked, because more than 10 is not paid.");
        CHECK(seen[1].text == "Error: mail was not called: it is blocked, because it is not allowed here.");
    }
}
TEST_CASE("a model is not at fault when it keeps asking for blocked calls") {
    Desk desk;
    desk.agent.tools.permit({.deny = {"mail"}});
    std::vector<std::vector<models::ToolCall>> all;
    for (int i = 1; i <= 4; ++i) all.push_back({make("a", "mail", json{{"n", i}}.dump())});
    auto model = turns(all);
    CHECK(desk.run(model).response == "Done.");
    CHECK(desk.seen.all<ObservationEvent>().size() == 4);
}
TEST_CASE("a blocked call differs from a failed one, also when calls in its arguments have run") {
    Desk desk;
    Context ctx;
    tools::Permissions permissions{.mode = tools::PermissionMode::yes};
    permissions.rules.push_back([](std::string_view tool, const json&) -> std::optional<tools::Verdict> {
        if (tool != "pay") return std::nullopt;
        return tools::Verdict{tools::Permission::block, "nothing is paid"};
    });
    desk.agent.tools.permit(permissions);
    const auto output = testing::await(call_tool(ctx, nested("pay", {"look"}), desk.agent.tools));
    CHECK(output.rejected);
    CHECK_FALSE(output.ran);
    CHECK(desk.log == Log{R"(look{"n":1})"});
    CHECK_FALSE(testing::await(call_tool(ctx, nested("look", {"mail"}), desk.agent.tools)).rejected);
}
TEST_CASE("the message of a run ended by faults has one full stop after the last fault") {
    Context ctx;
    CHECK_THROWS_WITH_AS(count_fault(ctx, "Error: it was not called.", 1),
                         doctest::Contains("the last one: Error: it was not called. Another model"), Error);
}
TEST_CASE("a blocked edit makes a new question, and never runs") {
    Desk desk;
    tools::Permissions permissions;
    permissions.rules.push_back([](std::string_view, const json& a) -> std::optional<tools::Verdict> {
        if (a.value("n", 0) <= 10) return std::nullopt;
        return tools::Verdict{tools::Permission::block, "that is too much"};
    });
    desk.agent.tools.permit(permissions);
    auto model = turns({{make("a", "pay", R"({"n": 1})")}});
    desk.run(model, testing::answer<ToolApprovalRequestEvent>([](const auto& question) {
                 return question.mistake.empty() ? say_so(Decision::edit, R"({"n": 99})") : say_so(Decision::approve);
             }));
    REQUIRE(desk.asked() == 2);
    CHECK(desk.seen.all<ToolApprovalRequestEvent>()[1].mistake.find("that is too much") != std::string::npos);
    CHECK(desk.log == Log{R"(pay{"n":1})"});
}
TEST_CASE("a call is refused when its approval cannot be requested, and the model gets the reason") {
    Desk desk;
    auto model = turns({{make("a", "pay")}});
    CHECK(desk.run(model, each(Decision::unanswered, "", "no terminal")).response == "Done.");
    CHECK(desk.log.empty());
    CHECK(desk.seen.all<ObservationEvent>()[0].text ==
          "Error: pay was not called: it needs an approval, and there was no person to ask. The reason: no terminal.");
    REQUIRE(desk.seen.all<ToolDecisionEvent>().size() == 1);
    CHECK(desk.seen.all<ToolDecisionEvent>()[0].decision == Decision::unanswered);
}
TEST_CASE("calls in the arguments have a question each before any part of the call runs") {
    for (const auto decision : {Decision::approve, Decision::edit, Decision::reject, Decision::unanswered}) {
        CAPTURE(int(decision));
        Desk desk;
        Context ctx;
        const std::vector<ToolCallEvent> all{nested("look", {"look", "pay", "mail"})};
        const auto questions = ask_for_approvals(ctx, all, desk.agent.tools);
        REQUIRE(questions.size() == 2);
        CHECK(questions[0].tool == "pay");
        CHECK(questions[0].id == "call_1.2");
        CHECK(questions[1].tool == "mail");
        auto next = hear_approvals(ctx, {say_so(decision, R"({"n": 5})", "why"), say_so(Decision::approve)},
                                   desk.agent.tools);
        REQUIRE(next.index() == 1);
        const auto output = testing::await(call_tool(ctx, std::get<1>(next).at(0), desk.agent.tools));
        if (decision == Decision::reject || decision == Decision::unanswered) {
            CHECK(desk.log.empty());
            CHECK(output.rejected);
            CHECK(output.output.find("a call among its arguments may not run. Error: pay was not called") !=
                  std::string::npos);
        } else {
            const auto ran = decision == Decision::edit ? R"(pay{"n":5})" : R"(pay{"n":1})";
            REQUIRE(desk.log.size() == 4);
            CHECK(desk.log[1] == ran);
            CHECK(output.note.empty() == (decision != Decision::edit));
        }
    }
}
TEST_CASE("a call with nested calls is refused if it needs an approval, and a denied one runs no part") {
    Desk desk;
    Context ctx;
    const auto pays = nested("pay", {"look"});
    CHECK(ask_for_approvals(ctx, {pays}, desk.agent.tools).empty());
    const auto refused = testing::await(call_tool(ctx, pays, desk.agent.tools));
    CHECK(refused.output.find("needs an approval") != std::string::npos);
    CHECK(desk.log == Log{R"(look{"n":1})"});
    desk.log.clear();
    desk.agent.tools.permit({.deny = {"pay"}});
    for (const auto& call : {nested("pay", {"look", "mail"}), nested("look", {"mail", "pay"})}) {
        CHECK(ask_for_approvals(ctx, {call}, desk.agent.tools).empty());
        CHECK(testing::await(call_tool(ctx, call, desk.agent.tools)).output.find("it is not allowed here") !=
              std::string::npos);
    }
    CHECK(desk.log.empty());
}
TEST_CASE("a tool allowed for the run is allowed in its sub-questions, from the first question on") {
    Desk desk;
    AskedModel model([](const models::ChatRequest&) { return say("{}"); });
    Context ctx;
    ReflectOptions options;
    BranchEvent branch;
    branch.call = "call_1";
    branch.questions = {{1, "one?"}, {2, "two?"}};
    CHECK(begin_sub_question(ctx, branch, options).allowed.empty());
    AnswerEvent answer;
    answer.response = "1";
    answer.always_allowed = {{"pay", "print"}};
    const auto next = std::get<BranchEvent>(end_sub_question(ctx, branch, answer));
    const auto asked = begin_sub_question(ctx, next, options);
    REQUIRE(asked.allowed.size() == 1);
    Context child;
    open_sub_question(child, asked);
    REQUIRE(child.get<AllowedTools>().size() == 1);
    CHECK(child.get<AllowedTools>()[0] == AllowedTool{"pay", "print"});
    end_sub_question(ctx, next, answer);
    CHECK(ctx.get<AllowedTools>().size() == 1);  // no duplicate
}
TEST_CASE("questions stored before nested calls had questions are read unchanged") {
    const auto slot = from_json<CallsToApprove>(
        json::parse(R"({"calls": [{"id": "call_1", "tool": "pay", "arguments": {}}], "asked": [0]})"));
    Desk desk;
    Context ctx;
    ctx.edit<CallsToApprove>([&](auto& kept) { kept = slot; });
    const auto next = hear_approvals(ctx, {from_json<ToolApprovalEvent>(json{{"decision", "approve"}})},
                                     desk.agent.tools);
    REQUIRE(next.index() == 1);
    CHECK(std::get<1>(next)[0].approval == Approval::approved);
}

namespace {
struct Boss {  // allows each tool in a question
    int asked = 0;
    bool there = true;
    template <class R> awaitable<void> serve(R run) {
        while (auto event = co_await run.next_event()) {
            if (!event->template get_if<ToolApprovalRequestEvent>()) continue;
            ++asked;
            if (there) run.send(say_so(Decision::always), event->question());
        }
    }
};
}
struct OnlyPay {
    int asked = 0;
    template <class R> awaitable<void> serve(R run) {
        while (auto event = co_await run.next_event())
            if (const auto* about = event->template get_if<ToolApprovalRequestEvent>())
                if (++asked; about->tool == "pay") run.send(say_so(Decision::always), event->question());
    }
};
TEST_CASE("a permission for a run stays valid in the process that resumes it") {
    using dying::Dying;
    using dying::Shop;
    MemoryStore store;
    Desk desk;
    auto model = turns({{make("a", "pay")}, {make("b", "mail")}, {make("c", "pay"), make("d", "mail")}});
    const auto agent = durable(
        workflows::tool_agent.with(model, desk.agent.memory, desk.agent.tools, desk.agent.options));
    UserMessageEvent question;
    question.text = "Work.";
    {
        Dying dying(store, 1000);
        Shop shop(dying);
        OnlyPay boss;
        auto run = shop.loop.start(agent, question, {.id = "r"});
        spawn(shop.io.get_executor(), boss.serve(run), asio::detached);
        shop.io.run();
        CHECK(boss.asked == 2);
        CHECK(run.idle());
        dying.left = 0;
    }
    dying::free_all(store);
    Shop shop(store);
    Boss boss;
    auto run = dying::resume_on(shop.loop, agent, "r");
    spawn(shop.io.get_executor(), boss.serve(run), asio::detached);
    shop.io.run();
    CHECK(boss.asked == 1);  // the open question about mail
    CHECK(run.outcome().response == "Done.");
    CHECK(desk.log == Log{"pay{}", "mail{}", "pay{}", "mail{}"});
}
