// Each step of the react workflow by a plain call.
#include "tests/support/react.hpp"
#include <doctest/doctest.h>
using namespace test;
using models::user;
using testing::await;

namespace {
tools::Registry two_tools() {
    tools::Registry registry;
    add_tool(registry, "add", [](const nlohmann::json& a) {
        return tools::Observation{std::to_string(a.value("a", 0) + a.value("b", 0))};
    });
    add_tool(registry, "break",
             [](const nlohmann::json&) -> tools::Observation { throw std::runtime_error("it is broken"); });
    return registry;
}
ToolOutputEvent output(std::string id, std::string text, bool ok = true) {
    return {.id = std::move(id), .tool = "add", .arguments = {R"({"a":1})"}, .output = std::move(text), .ok = ok};
}
auto ask(Context& ctx, models::ChatModel& model, InputEvent input = {{user("6 * 7?")}}) {
    return await(handle_llm_input(ctx, std::move(input), model, text_dialect));
}
}

// shows L-02: a user's message begins a run
TEST_CASE("a user's message begins a run with the memory's content") {
    Context ctx;
    ConversationMemory memory;
    memory.append("run 1", {"Who?", "Ada."});

    new_user_message(ctx, {.text = "When?"}, memory);

    CHECK(ctx.get<Conversation>().question == "When?");
    REQUIRE(ctx.get<Conversation>().history.size() == 2);
    CHECK(ctx.get<Conversation>().history[1].content == "Ada.");
    CHECK(memory.read("").size() == 2);
    CHECK_THROWS_WITH_AS(new_user_message(ctx, {.text = " \n"}, memory), "the question is empty: ask something", Error);
}
// shows L-03, L-12
TEST_CASE("the prompt has tools, history, question, reasoning and the users' additions") {
    Context ctx;
    auto registry = two_tools();
    ReactOptions options;
    options.system = "Be brief.";
    ctx.edit<Conversation>([](auto& c) { c = {{user("Who?"), models::assistant("Ada.")}, "When?"}; });
    ctx.edit<CurrentReasoning>([](auto& r) {
        r.push_back({.kind = ReasoningKind::action,
                     .thought = "sum",
                     .tool = "add",
                     .arguments = {R"({"a":1})"},
                     .note = "One."});
        r.push_back({.kind = ReasoningKind::observation, .tool = "add", .text = "1"});
        r.push_back({.kind = ReasoningKind::fault, .text = "the reply is odd", .reply = "odd"});
    });

    auto input = prepare_chat_history(ctx, {}, text_dialect, registry, options);

    REQUIRE(input.messages.size() == 8);
    const auto& header = input.messages[0].content;
    CHECK(input.messages[0].role == models::Role::system);
    CHECK(header.find("- add: Does add.\n  arguments: {\"type\":\"object\"}") != header.npos);
    CHECK(header.find("of these: add, break\n") != header.npos);
    CHECK(header.find("{\"name\": \"value\"}") != header.npos);
    CHECK(header.ends_with("\n\nBe brief."));
    CHECK(input.messages[3].content == "When?");
    CHECK(input.messages[4].content == "Thought: sum\nAction: add\nAction Input: {\"a\":1}");
    CHECK(input.messages[5].content == "Observation: 1\n\nNote: One.");
    CHECK(input.messages[6].content == "odd");
    CHECK(input.messages[7].content.find("could not be followed: the reply is odd.") != header.npos);
    CHECK(!input.closing);
    CHECK(ctx.get<Progress>().steps == 1);
}
// shows B-L01
TEST_CASE("the prompt requests the best answer after max_steps turns, which does not count as a turn") {
    Context ctx;
    tools::Registry none;
    ReactOptions options;
    options.max_steps = 2;

    for (bool closing : {false, false, true, true}) {
        auto input = prepare_chat_history(ctx, {}, text_dialect, none, options);
        CHECK(input.closing == closing);
        CHECK((input.messages.back().content.find("no steps left") != std::string::npos) == closing);
    }
    CHECK(ctx.get<Progress>().steps == 2);
}
TEST_CASE("a prompt does not say that no steps are left when a run repeats its calls") {
    Context ctx;
    tools::Registry none;
    ctx.edit<Progress>([](auto& progress) { progress = {.steps = 5, .closing = true}; });

    const auto input = prepare_chat_history(ctx, {}, text_dialect, none, ReactOptions{.max_steps = 6});

    const auto& last = input.messages.back().content;
    CHECK(last.find("The same call has come round too often, and no tool runs any more.") != last.npos);
    CHECK(last.find("steps left") == last.npos);
}
TEST_CASE("a think block is reported as thought, and not sent to the model again") {
    Context ctx;
    ScriptedModel model{"<think>Answer: 7?</think>Thought: sum\nAction: add\nAction Input: {}", "<think>Answer: 7"};

    auto next = ask(ctx, model);
    CHECK(std::holds_alternative<std::vector<ToolCallEvent>>(next));
    next = ask(ctx, model, {{user("6 * 7?"), models::assistant("x")}});
    CHECK(std::holds_alternative<PrepEvent>(next));

    const auto& reasoning = ctx.get<CurrentReasoning>();
    REQUIRE(reasoning.size() == 2);
    CHECK(reasoning[0].thought == "sum");
    CHECK(reasoning[1].kind == ReasoningKind::fault);
    CHECK(reasoning[1].text == "it was only reasoning, without any text");
    CHECK(reasoning[1].reply.empty());
}
// shows L-04: a reply leads to an answer, a call or another turn
TEST_CASE("handle_llm_input stops the run when the reply is an answer") {
    Context ctx;
    ScriptedModel model{"Thought: easy\nAnswer: 42"};

    auto next = await(handle_llm_input(ctx, InputEvent{{user("6 * 7?")}}, model, text_dialect));

    CHECK(std::get<AnswerEvent>(next).response == "42");
    CHECK(std::get<AnswerEvent>(next).outcome == AnswerOutcome::answered);
    CHECK(ctx.get<CurrentReasoning>().size() == 1);
}
// shows L-08: a call has an id, a name and named arguments
TEST_CASE("an action becomes a tool call with an id, its name and its arguments") {
    Context ctx;
    ScriptedModel model{"Thought: sum\nAction: add\nAction Input: {'a': 1, 'b': 2,}"};

    auto next = ask(ctx, model);

    auto& calls = std::get<std::vector<ToolCallEvent>>(next);
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].tool == "add");
    CHECK(calls[0].arguments.text == R"({"a":1,"b":2})");
    CHECK(!calls[0].id.empty());
    CHECK(ctx.get<CurrentReasoning>()[0].call == calls[0].id);
}
// shows B-L03
TEST_CASE("the stop sequence is sent, and an invented observation is cut") {
    Context ctx;
    AskedModel model([](auto&) { return say("Action: add\nAction Input: {}\nObservation: 3\nAnswer: 3"); });

    auto next = ask(ctx, model);

    CHECK(model.requests[0].stop == std::vector<std::string>{"Observation:"});
    CHECK(std::holds_alternative<std::vector<ToolCallEvent>>(next));
}
// shows L-07: an observation answers a reply that cannot be followed
// shows B-L02
TEST_CASE("an unusable reply is kept with its fault") {
    Context ctx;
    ScriptedModel model{"Thought: I wonder\nAction: add"};

    auto next = ask(ctx, model);

    CHECK(std::holds_alternative<PrepEvent>(next));
    REQUIRE(ctx.get<CurrentReasoning>().size() == 1);
    const auto& step = ctx.get<CurrentReasoning>()[0];
    CHECK(step.kind == ReasoningKind::fault);
    CHECK(step.reply == "Thought: I wonder\nAction: add");
    CHECK(step.text.find("no Action Input") != std::string::npos);
}
// shows B-L06
TEST_CASE("too many faulty replies in a row are a typed failure, and a good one restarts the count") {
    Context ctx;
    ScriptedModel bad{""}, good{"Action: add\nAction Input: {}"};
    InputEvent input{.messages = {user("?")}, .max_faults = 2};

    CHECK(std::holds_alternative<PrepEvent>(ask(ctx, bad, input)));
    ask(ctx, good, input);
    CHECK(std::holds_alternative<PrepEvent>(ask(ctx, bad, input)));
    try {
        ask(ctx, bad, input);
        FAIL("no error");
    } catch (const Error& e) {
        CHECK(e.code() == Code::model_failed);
        CHECK(std::string(e.what()) == "2 replies of the model in a row could not be followed; the last one: it was "
                                       "empty. Another model may do better");
    }
}
TEST_CASE("a truncated reply is never executed and never an answer") {
    for (const auto* text : {"Action: add\nAction Input: {\"a\": 1}", "Answer: the first half"}) {
        Context ctx;
        AskedModel model([&](auto&) { return say(text, models::FinishReason::length); });

        CHECK(std::holds_alternative<PrepEvent>(ask(ctx, model)));
        CHECK(ctx.get<CurrentReasoning>()[0].text.find("cut off") != std::string::npos);
    }
}
TEST_CASE("a refusal of the model is a typed failure") {
    Context ctx;
    AskedModel model([](auto&) { return say("I will not.", models::FinishReason::refused); });

    CHECK_THROWS_WITH_AS(ask(ctx, model), "the model refuses to reply to this: I will not.", Error);
}
// shows B-W06
TEST_CASE("the model gets a note about its ignored actions") {
    Context ctx;
    ScriptedModel model{"Action: add\nAction Input: {}\nAction: break\nAction Input: {}"};

    auto next = ask(ctx, model);

    CHECK(std::get<std::vector<ToolCallEvent>>(next).at(0).tool == "add");
    CHECK(ctx.get<CurrentReasoning>()[0].note.find("ignored (1 more)") != std::string::npos);
}
// shows B-D01
TEST_CASE("an answer at the limit is the best available, and is marked as that") {
    for (auto [reply, response] :
         {std::pair{"Answer: about 40", "about 40"},
          {"Perhaps 40.", "Perhaps 40."},
          {"Thought: near 40\nAction: add\nAction Input: {}",
           "No answer was found before the run came to its limit. The last thought was: near 40"},
          {"", "No answer was found before the run came to its limit."}}) {
        Context ctx;
        ScriptedModel model{reply};

        auto next = ask(ctx, model, {.messages = {user("?")}, .closing = true});

        CHECK(std::get<AnswerEvent>(next).outcome == AnswerOutcome::limit);
        CHECK(std::get<AnswerEvent>(next).response == response);
    }
}
// shows L-05
TEST_CASE("an unknown tool, a failing tool and a result each make an observation") {
    const auto registry = two_tools();
    for (auto [tool, text, ok] : {std::tuple{"add", "3", true}, {"break", "broken", false}, {"fly", "add", false}}) {
        Context ctx;
        ToolCallEvent call{.id = "call_1", .tool = tool, .arguments = {R"({"a":1,"b":2})"}};

        auto output = await(call_tool(ctx, call, registry));

        CHECK(output.id == "call_1");
        CHECK(output.output.find(text) != std::string::npos);
        CHECK(output.ok == ok);
    }
}
TEST_CASE("observe records the tools' observations in the order of the calls") {
    Context ctx;

    observe(ctx, {output("call_1", "3"), output("call_2", "no", false), output("call_3", "\xFFyes")});

    const auto& reasoning = ctx.get<CurrentReasoning>();
    REQUIRE(reasoning.size() == 3);
    CHECK(reasoning[0].text == "3");
    CHECK(!reasoning[1].ok);
    CHECK(reasoning[2].text == "\xEF\xBF\xBDyes");
    CHECK(reasoning[2].call == "call_3");
}
TEST_CASE("a call's second repeat with the same observation makes a note, and the fourth ends the run") {
    Context ctx;
    for (int repeat = 0; repeat <= 4; ++repeat) {
        observe(ctx, {output("call", "3")});
        observe(ctx, {output("other", std::to_string(100 + repeat))});
        const auto& reasoning = ctx.get<CurrentReasoning>();
        CHECK(reasoning[reasoning.size() - 2].note.empty() == (repeat < 2));
        CHECK(reasoning.back().note.empty());
        CHECK(ctx.get<Progress>().closing == (repeat == 4));
    }
}
