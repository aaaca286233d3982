// The slots of each workflow's runs, also of stored runs.
#include "engine/core/data/slots.hpp"
#include "engine/testing/recorder.hpp"
#include "tests/support/reflect.hpp"
#include "tests/support/tool_agent.hpp"
#include "tools/needs_approval.hpp"
#include "workflows/plain_answer.hpp"
#include "workflows/refund.hpp"
#include <doctest/doctest.h>
#include <set>
using namespace test;

namespace {
using Names = std::set<std::string_view>;
std::string in_words(const Names& names) {
    std::string all;
    for (const auto name : names) (all += all.empty() ? "" : ", ") += name;
    return all;
}
const std::string of_react = "AllowedTools, CallsToApprove, Conversation, CurrentReasoning, PastSummary, Progress";
const std::string of_tool_agent = "AllowedTools, CallsToApprove, Conversation, CurrentReasoning, OpenCalls, "
                                  "PastSummary, Progress, Transcript";
const std::string of_reflect = "AllowedTools, CallsToApprove, CurrentReasoning, CurrentReflection, Decompositions, "
                               "Inquiry, Progress, SubAnswers";
const std::string of_sub_question = "AllowedTools, CallsToApprove, CurrentReasoning, CurrentReflection, Inquiry, "
                                    "Progress";

/// Returns the slots of an ended run, with approvals for the rest of the run.
template <class W, class Start, class... Listener>
std::string left_by(const W& workflow, const Start& start, Listener... listeners) {
    SlotValues values;
    const auto approve = testing::answer<ToolApprovalRequestEvent>([](const auto&) {
        ToolApprovalEvent approved;
        approved.decision = Decision::always;
        return approved;
    });
    testing::run(workflow, start, {.left = &values}, approve, listeners...);
    Names names;
    if (const auto* slots = core::PrivateAccess::slots(values))
        for (auto* node = slots->first(); node; node = node->next) names.emplace(node->type->name);
    return in_words(names);
}
UserMessageEvent question() {
    UserMessageEvent event;
    event.text = "How do the rivers compare?";
    return event;
}
struct Desk {
    tools::Registry tools;
    ConversationMemory memory;
    Desk() {
        const auto measure = [](const nlohmann::json&) { return tools::Observation{"1094 km"}; };
        tools.add(tools::needs_approval(std::make_shared<FunctionTool>("measure", measure)));
        memory.append("run 0", {"Which rivers?", std::string(3000, 'r')});
    }
};
template <class Options> Options summarising(int tokens) {
    Options options;
    options.context_tokens = tokens;
    options.summarise = true;
    options.budget.time_ms = 3'600'000;
    return options;
}
}

TEST_CASE("react keeps no other slots than these") {
    Desk desk;
    const auto options = summarising<ReactOptions>(900);
    AskedModel model([n = 0](const models::ChatRequest&) mutable {
        const char* replies[] = {"A summary.", "Thought: look\nAction: measure\nAction Input: {}", "no label",
                                 "Thought: done\nAnswer: It is 1094 km."};
        return say(replies[std::min(n++, 3)]);
    });
    const auto agent = workflows::react.with(model, text_dialect, desk.memory, desk.tools, options);

    CHECK(left_by(agent, question()) == of_react);
}
TEST_CASE("tool_agent keeps no other slots than these") {
    Desk desk;
    const auto options = summarising<ToolAgentOptions>(600);
    AskedModel model([n = 0](const models::ChatRequest&) mutable {
        if (++n == 1) return say("A summary.");
        return n == 2 ? calls({{"a", "measure", "{}"}, {"b", "measure", "{}"}}) : say("It is 1094 km.");
    });
    const auto agent = workflows::tool_agent.with(model, desk.memory, desk.tools, options);

    CHECK(left_by(agent, question()) == of_tool_agent);
}
TEST_CASE("reflect and its sub-questions keep no other slots than these") {
    Desk desk;
    ReflectOptions options;
    options.budget.time_ms = 3'600'000;
    const auto main_question = question().text;
    Thinking model([&](const Request& sent) -> std::string {
        if (sent.kind == Request::decomposition) return R"({"sub_questions": ["How long is the Elbe?"]})";
        if (sent.kind == Request::summary) return R"({"summary": "It has a length."})";
        const bool seen = sent.text.find("1094 km") != std::string::npos;
        const bool told = sent.text.find("It has a length.") != std::string::npos;
        if (sent.question == main_question && seen)
            return told ? request("final_answer", "They are compared.") : request("decomposition", main_question);
        return seen ? request("final_answer", "1094 km") : request("measure");
    });
    const auto agent = workflows::reflect.with(model, desk.memory, desk.tools, options);
    CHECK(left_by(agent, question()) == of_reflect);

    const auto part = workflows::sub_question.with(model, desk.tools, options);
    SubQuestionAskedEvent asked;
    asked.number = 1;
    asked.text = "How long is the Elbe?";
    CHECK(left_by(part, asked) == of_sub_question);
}
TEST_CASE("plain_answer and refund keep no other slots than these") {
    AskedModel model([](auto&) { return say("It is 1094 km."); });
    const ReactOptions options;
    const auto plain = workflows::plain_answer.with(model, options);
    CHECK(left_by(plain, question()) == "Progress");

    Context ctx;
    const auto asked = workflows::review(ctx, {.order = "7", .amount = 70, .reason = ""});
    CHECK(std::holds_alternative<workflows::ApprovalRequestEvent>(asked));
    CHECK(ctx.get<workflows::Claim>().text == "70.00 for order 7");
    const auto grant = testing::answer<workflows::ApprovalRequestEvent>(
        [](const auto&) { return workflows::ApprovalEvent{.granted = true, .comment = ""}; });
    const workflows::RefundEvent large{.order = "7", .amount = 70, .reason = ""};
    CHECK(left_by(workflows::refund, large, grant) == "Claim");
}
