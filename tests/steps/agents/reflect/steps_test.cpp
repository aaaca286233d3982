// Steps of the reflect workflow by plain calls.
#include "steps/agents/reflect/running_context.hpp"
#include "tests/support/reflect.hpp"
#include <doctest/doctest.h>
using namespace test;
using testing::await;

namespace {
struct Parts {
    Context ctx;
    tools::Registry tools;
    ReflectOptions options;
    Parts() {
        add_tool(tools, "look", [](auto&) { return tools::Observation{"the real thing"}; });
        ctx.edit<Inquiry>([](auto& inquiry) { inquiry.question = "What?"; });
    }
    auto choose(models::ChatModel& model, ChooseEvent event = {}) {
        return await(choose_action(ctx, std::move(event), model, tools, options, no_memory()));
    }
};
}

// shows A-01: each turn asks the model twice: for a reflection, then for an action
TEST_CASE("a reflection is counted as a turn, kept, and leads to an action") {
    Parts parts;
    ScriptedModel model{"REFLECTION >> I look."};

    const auto next = await(write_reflection(parts.ctx, {}, model, parts.tools, parts.options));

    CHECK(!next.closing);
    CHECK(parts.ctx.get<CurrentReflection>().text == "I look.");
    CHECK(parts.ctx.get<Progress>().steps == 1);
}
// [alone]
// shows A-10
TEST_CASE("choose_action stops the run when the model gives the final answer") {
    Context ctx;
    ScriptedModel model{R"({"request": "final_answer", "argument": "42"})"};
    const tools::Registry none;
    const ReflectOptions options;

    const auto next = await(choose_action(ctx, ChooseEvent(), model, none, options, no_memory()));

    CHECK(std::get<AnswerEvent>(next).response == "42");
}
// [/alone]
// shows A-11
TEST_CASE("an action becomes a call with an id and the reflection") {
    Parts parts;
    parts.ctx.edit<CurrentReflection>([](auto& reflection) { reflection.text = "I look."; });
    ScriptedModel model{"Well: " + request("look", {{"where", "here"}})};

    const auto next = parts.choose(model);

    const auto& call = std::get<ToolCallEvent>(next);
    CHECK(call.tool == "look");
    CHECK(call.arguments.text == R"({"where":"here"})");
    CHECK(parts.ctx.get<CurrentReasoning>()[0].thought == "I look.");
    CHECK(parts.ctx.get<CurrentReasoning>()[0].call == call.id);
    CHECK(parts.ctx.get<CurrentReflection>().text.empty());
}
// shows A-14
TEST_CASE("a faulty reply leads back to the same step, with its fault") {
    Parts parts;
    ScriptedModel model{"hm"};

    const auto next = parts.choose(model);

    REQUIRE(std::holds_alternative<ChooseEvent>(next));
    CHECK(std::get<ChooseEvent>(next).faults.at(0).reply == "hm");
    CHECK(running_context(parts.ctx, 1000) == "ERROR >> there is no JSON object in the reply");
}
TEST_CASE("a reply without text is a fault that the next prompt names when it should be a reflection or an action") {
    Parts parts;
    AskedModel model([](auto&) {
        auto reply = say("", models::FinishReason::unreadable);
        reply.fault = "Failed to call a function.";
        return reply;
    });

    auto next = await(write_reflection(parts.ctx, {}, model, parts.tools, parts.options));
    REQUIRE(next.faults.size() == 1);
    next = std::get<ChooseEvent>(parts.choose(model, std::move(next)));

    CHECK(model.requests[1].messages.back().content.find("Failed to call a function") != std::string::npos);
    CHECK(next.faults.size() == 2);
    CHECK_THROWS_WITH_AS(parts.choose(model, std::move(next)), doctest::Contains("could not be followed"), Error);
}
TEST_CASE("a truncated reply never runs, however complete it looks") {
    Parts parts;
    AskedModel model([](auto&) { return say(request("final_answer", "half"), models::FinishReason::length); });

    const auto next = parts.choose(model);

    REQUIRE(std::holds_alternative<ChooseEvent>(next));
    CHECK(std::get<ChooseEvent>(next).faults[0].error.find("cut off") != std::string::npos);
}
// shows A-09
TEST_CASE("a decomposition without a question is one of the question itself") {
    for (const auto& argument : {nlohmann::json(), nlohmann::json(" "), nlohmann::json("Why?")}) {
        Parts parts;
        ScriptedModel model{request("decomposition", argument)};

        const auto next = parts.choose(model);

        CHECK(std::get<DecomposeEvent>(next).question == (argument == "Why?" ? "Why?" : "What?"));
    }
}
// shows A-16
TEST_CASE("sub-questions share one branch or have one each, and their numbers continue from the last decomposition") {
    for (const bool parallel : {false, true}) {
        Parts parts;
        parts.options.parallel = parallel;
        parts.ctx.edit<Decompositions>([](auto& made) { made.sub_questions = 3; });
        ScriptedModel model{R"({"sub_questions": ["a?", "b?"]})"};
        DecomposeEvent event{.call = "call_1", .question = "What?"};

        const auto next = await(decompose_question(parts.ctx, event, model, parts.tools, parts.options));

        const auto& branches = std::get<std::vector<BranchEvent>>(next);
        REQUIRE(branches.size() == (parallel ? 2 : 1));
        CHECK(branches.back().questions.back().number == 5);
        CHECK(branches.back().questions.back().text == "b?");
    }
}
// shows B-A12: outcomes have types, also those of sub-questions
TEST_CASE("a sub-question that fails returns its findings, except after an error of the set-up") {
    Parts parts;
    parts.ctx.edit<CurrentReasoning>([](auto& r) {
        r.push_back({.kind = ReasoningKind::observation, .call = "sub_1_call_1", .tool = "look", .text = "a thing"});
    });

    const auto answer = give_up(parts.ctx, {.step = "choose_action_for_part", .error = "no", .code = "model_failed"});

    CHECK(answer.outcome == AnswerOutcome::failed);
    CHECK(answer.response == "no");
    CHECK(answer.sources.size() == 1);
    CHECK_THROWS_AS(give_up(parts.ctx, {.error = "no", .code = "script_mismatch"}), Error);
}
