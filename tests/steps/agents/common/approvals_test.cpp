// Calls that need approval: their questions, the executed calls, and the model's observations.
#include "engine/durable.hpp"
#include "engine/testing/recorder.hpp"
#include "steps/agents/common/approvals.hpp"
#include "steps/agents/react/dialects/function_dialect.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/reflect.hpp"
#include "tests/support/tool_agent.hpp"
#include "tools/needs_approval.hpp"
using namespace test;
using nlohmann::json;

namespace {
struct Payment final : tools::Tool {
    std::vector<std::string>& log;
    explicit Payment(std::vector<std::string>& l) : log(l) {}
    const std::string& name() const override { return name_; }
    const std::string& description() const override { return name_; }
    const json& schema() const override { return schema_; }
    awaitable<tools::Observation> call(const json& arguments) override {
        log.push_back(arguments.dump());
        co_return tools::Observation{"paid " + arguments.at("amount").dump()};
    }

private:
    const std::string name_ = "pay";
    const json schema_ = {{"type", "object"},
                          {"properties", {{"amount", {{"type", "integer"}}}}},
                          {"required", {"amount"}},
                          {"additionalProperties", false}};
};
struct Till {
    NativeAgent agent;
    std::vector<std::string> log;
    testing::Recorder seen;
    explicit Till(tools::ApprovalRule rule = [](const json&) { return true; }) {
        agent.add(tools::needs_approval(std::make_shared<Payment>(log), std::move(rule)));
    }
    auto bound(models::ChatModel& model) {
        return workflows::tool_agent.with(model, agent.memory, agent.tools, agent.options);
    }
    template <class... Listener> AnswerEvent run(models::ChatModel& model, Listener... listeners) {
        UserMessageEvent question;
        question.text = "Pay.";
        return testing::run(bound(model), question, {.recorder = &seen}, std::move(listeners)...);
    }
    std::vector<ToolApprovalRequestEvent> asked() const { return seen.all<ToolApprovalRequestEvent>(); }
};
models::ToolCall pay(const std::string& id, const std::string& amount) {
    return {id, "pay", "{\"amount\": " + amount + "}"};
}
/// A model that calls the tools, and then answers.
AskedModel calling(std::vector<models::ToolCall> list) {
    return AskedModel([list = std::move(list)](const models::ChatRequest& request) {
        return request.messages.back().role == models::Role::tool ? say("Done.") : calls(list);
    });
}
std::vector<std::string> results_of(const AskedModel& model) {
    std::vector<std::string> results;
    for (auto& message : model.requests.back().messages)
        if (message.role == models::Role::tool) results.push_back(message.content);
    return results;
}
ToolApprovalEvent decided(Decision decision, std::string arguments = {}, std::string reason = {}) {
    ToolApprovalEvent answer;
    answer.decision = decision;
    answer.arguments.text = std::move(arguments);
    answer.reason = std::move(reason);
    return answer;
}
/// Gives the same answer to each question.
auto always(const ToolApprovalEvent& answer) {
    return testing::answer<ToolApprovalRequestEvent>([answer](const auto&) { return answer; });
}
}

TEST_CASE("an approved call runs unchanged, and only after the approval") {
    Till till;
    auto model = calling({pay("a", "5")});
    const auto answer = till.run(model, [&](auto& run, const AnyEvent& event) {
        const auto* question = event.get_if<ToolApprovalRequestEvent>();
        if (!question) return;
        CHECK(till.log.empty());
        CHECK(question->tool == "pay");
        CHECK(json::parse(question->arguments.text) == json{{"amount", 5}});
        run.send(decided(Decision::approve), event.question());
    });
    CHECK(answer.response == "Done.");
    CHECK(till.log == std::vector<std::string>{R"({"amount":5})"});
    CHECK(results_of(model) == std::vector<std::string>{"paid 5"});
}
TEST_CASE("an edited call runs with the new arguments, and the model sees the edited call") {
    Till till;
    auto model = calling({pay("a", "500")});
    const auto answer = till.run(model, always(decided(Decision::edit, R"({"amount": 50})")));
    CHECK(till.log == std::vector<std::string>{R"({"amount":50})"});
    CHECK(results_of(model) ==
          std::vector<std::string>{
              "paid 50\nNote: the arguments of this call were changed by the person who approved it. It "
              "ran with {\"amount\": 50}"});
    REQUIRE(answer.sources.size() == 1);
    CHECK(answer.sources[0].arguments.text == R"({"amount": 50})");
}
TEST_CASE("an edit against the schema makes a new question with the reason") {
    for (const std::string wrong : {R"({"amount": "much"})", "[1]", "{", "", R"({"amount": 1, "to": "me"})"}) {
        CAPTURE(wrong);
        Till till;
        auto model = calling({pay("a", "5")});
        till.run(model, testing::answer<ToolApprovalRequestEvent>([&](const auto& question) {
                     return question.mistake.empty() ? decided(Decision::edit, wrong) : decided(Decision::approve);
                 }));
        REQUIRE(till.asked().size() == 2);
        CHECK_FALSE(till.asked()[1].mistake.empty());
        CHECK(till.asked()[1].arguments == till.asked()[0].arguments);
        CHECK(till.log == std::vector<std::string>{R"({"amount":5})"});  // unchanged
    }
}
TEST_CASE("a rejected call does not run, and the model gets the reason, which counts as no fault") {
    Till till;
    till.agent.options.max_faults = 1;
    auto model = calling({pay("a", "5")});
    const auto answer = till.run(model, always(decided(Decision::reject, "", "too dear")));
    CHECK(till.log.empty());
    CHECK(answer.response == "Done.");
    CHECK(results_of(model) ==
          std::vector<std::string>{"Error: pay was not called: the person who was asked to approve it has rejected it. "
                                   "The reason: too dear."});
}
TEST_CASE("a reply's questions are open together and answered in any order; then its calls run in their order") {
    Till till([](const json& arguments) { return arguments.at("amount") >= 10; });
    auto model = calling({pay("a", "5"), pay("b", "10"), pay("c", "20")});
    std::vector<QuestionId> open;
    const auto answer = till.run(model, [&](auto& run, const AnyEvent& event) {
        if (event.get_if<ToolApprovalRequestEvent>()) open.push_back(event.question());
        if (open.size() < 2) return;
        CHECK(till.log.empty());
        run.send(decided(Decision::edit, R"({"amount": 19})"), open[1]);
        run.send(decided(Decision::reject), open[0]);
        open.clear();
    });
    CHECK(till.log == std::vector<std::string>{R"({"amount":5})", R"({"amount":19})"});
    const auto results = results_of(model);
    REQUIRE(results.size() == 3);
    CHECK(results[0] == "paid 5");
    CHECK(results[1].find("rejected it, without a reason") != std::string::npos);
    CHECK(results[2].starts_with("paid 19\nNote: "));
    CHECK(answer.tool_calls == 3);
}
TEST_CASE("a rule gets only calls with valid arguments, and requires approval if it throws") {
    int ruled = 0;
    Till till([&ruled](const json& arguments) {
        ++ruled;
        return arguments.at("limit") > 3;  // there is none
    });
    const models::ToolCall text{"a", "pay", "{\"amount\": \"x\"}"}, broken{"b", "pay", "{"}, unknown{"c", "no", "{}"};
    auto model = calling({text, broken, unknown, pay("d", "1")});
    till.run(model, always(decided(Decision::approve)));
    CHECK(till.asked().size() == 1);
    CHECK(ruled == 2);  // once more before the call runs
    CHECK(till.log.size() == 1);
    CHECK_THROWS_WITH(tools::needs_approval(std::make_shared<Payment>(till.log), tools::ApprovalRule()),
                      doctest::Contains("empty rule"));
}
TEST_CASE("a run without calls to approve has no question and no further step") {
    Till till([](const json&) { return false; });
    auto model = calling({pay("a", "5"), pay("b", "6")});
    till.run(model);
    CHECK(till.asked().empty());
    CHECK(till.log.size() == 2);
    CHECK(model.requests.size() == 2);
}
TEST_CASE("react and reflect ask for approvals, too") {
    for (const auto decision : {Decision::approve, Decision::reject, Decision::edit}) {
        Till till;
        UserMessageEvent question;
        question.text = "Pay.";
        const auto answer_it = always(decided(decision, R"({"amount": 4})"));
        AskedModel model([](const models::ChatRequest& request) {
            const auto& last = request.messages.back().content;
            return say(last.find("Observation:") != last.npos
                           ? "Thought: I know.\nAnswer: Done."
                           : "Thought: I pay.\nAction: pay\nAction Input: {\"amount\": 5}");
        });
        const auto agent = workflows::react.with(model, text_dialect, till.agent.memory, till.agent.tools,
                                                 till.agent.options);
        CHECK(testing::run(agent, question, {.recorder = &till.seen}, answer_it).response == "Done.");
        CHECK(till.asked().size() == 1);
        Thinking thinker([](const Request& about) {
            const auto told = [&about](const char* text) { return about.text.find(text) != std::string::npos; };
            return told("paid ") || told("rejected") ? request("final_answer", "Done.")
                                                     : request("pay", {{"amount", 5}});
        });
        ReflectOptions options;
        const auto reflecting = workflows::reflect.with(thinker, till.agent.memory, till.agent.tools, options);
        CHECK(testing::run(reflecting, question, {.recorder = &till.seen}, answer_it).outcome ==
              AnswerOutcome::answered);
        CHECK(till.asked().size() == 2);
        const std::string ran = decision == Decision::approve ? R"({"amount":5})" : R"({"amount":4})";
        CHECK(till.log == (decision == Decision::reject ? std::vector<std::string>() : std::vector{ran, ran}));
    }
}
TEST_CASE("a call in another call's arguments is refused when it needs an approval and has none") {
    Till till;
    Context ctx;
    ToolCallEvent call;
    call.id = "call_1";
    call.tool = "pay";
    call.arguments.text = R"({"amount": 0})";
    call.inner.push_back({"pay", {R"({"amount": 1})"}, 1, "/amount"});
    const auto output = testing::await(call_tool(ctx, call, till.agent.tools));
    CHECK_FALSE(output.ok);
    CHECK(output.output.find("needs an approval") != std::string::npos);
    CHECK(till.log.empty());
    CHECK(ask_for_approvals(ctx, {call}, till.agent.tools).size() == 1);  // about the one whose arguments are known
    call.inner.clear();
    CHECK_FALSE(testing::await(call_tool(ctx, call, till.agent.tools)).ran);  // a workflow without a human
    CHECK(till.log.empty());
}

namespace {
using dying::Dying;
using dying::Shop;
struct Clerk {  // answers the last question first when two are open
    std::vector<QuestionId> open;
    int asked = 0;
    bool answers = false;
    template <class R> awaitable<void> serve(R run) {
        while (auto event = co_await run.next_event()) {
            if (!event->template get_if<ToolApprovalRequestEvent>()) continue;
            ++asked;
            open.push_back(event->question());
            if (!answers || open.size() < 2) continue;
            run.send(decided(Decision::approve), open[1]);
            run.send(decided(Decision::reject, "", "no"), open[0]);
        }
    }
};
}
TEST_CASE("a run continues with the answers when its process died with two open questions") {
    MemoryStore store;
    Till till;
    auto model = calling({pay("a", "1"), pay("b", "2")});
    const auto agent = durable(till.bound(model));
    UserMessageEvent question;
    question.text = "Pay.";
    {
        Dying dying(store, 1000);
        Shop shop(dying);
        Clerk nobody;
        auto run = shop.loop.start(agent, question, {.id = "r"});
        spawn(shop.io.get_executor(), nobody.serve(run), asio::detached);
        shop.io.run();
        CHECK(nobody.asked == 2);
        CHECK(run.idle());
        dying.left = 0;
    }
    dying::free_all(store);
    Shop shop(store);
    Clerk clerk;
    clerk.answers = true;
    auto run = dying::resume_on(shop.loop, agent, "r");
    spawn(shop.io.get_executor(), clerk.serve(run), asio::detached);
    shop.io.run();
    CHECK(clerk.asked == 2);
    CHECK(run.outcome().response == "Done.");
    CHECK(till.log == std::vector<std::string>{R"({"amount":2})"});
    CHECK(model.requests.size() == 2);
}
