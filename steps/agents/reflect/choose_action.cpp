// Two steps share one function: a question and a sub-question choose in the same way, but only a question has the
// memory and may be decomposed, which the steps' types show.
#include "engine/text/text.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/limits.hpp"
#include "steps/agents/common/observation.hpp"
#include "steps/agents/reflect/ask.hpp"
#include "steps/agents/reflect/conclude.hpp"
#include "steps/agents/reflect/events.hpp"
#include "steps/agents/reflect/prompts.hpp"
#include "steps/agents/reflect/replies.hpp"
#include "steps/agents/reflect/running_context.hpp"
#include "steps/agents/reflect/steps.hpp"
#include "steps/agents/reflect/sub_answers.hpp"
#include "steps/models/call_ids.hpp"

namespace weft::agents::inline reflect_steps {
namespace {
constexpr auto choice_closing =
    ", and no tool runs any more. Give the best answer that you can with what is known now, and say what is uncertain: "
    "the request is final_answer.";

/// The common results of a question and a sub-question: all but the decomposition.
using NextAction = std::variant<ActionReply, ChooseEvent, AnswerEvent>;

using NextOfWhole =
    std::variant<ToolCallEvent, ToolApprovalRequestEvent, DecomposeEvent, ChooseEvent, ReflectEvent, AnswerEvent>;
using NextOfPart = std::variant<ToolCallEvent, ToolApprovalRequestEvent, ChooseEvent, ReflectEvent, AnswerEvent>;

/// Decides the result of a reply.
class ReflectTurn {
public:
    ReflectTurn(Context& ctx, ChooseEvent event, const models::ChatReply& reply, const ReflectOptions& options)
        : ctx_(ctx), event_(std::move(event)), reply_(reply), options_(options), read_(read_action(reply.text)) {}
    NextAction decide() {
        if (event_.closing) return close();
        if (const auto error = error_of(reply_, read_.error); !error.empty()) {
            event_.faults = add_fault(ctx_, std::move(event_.faults), error, reply_, options_);
            return std::move(event_);
        }
        end_faults(ctx_);
        tell();
        if (read_.request == final_answer) return answer(AnswerOutcome::answered, bare_argument(read_.argument), true);
        return std::move(read_);
    }

private:
    void tell() {
        ctx_.stream(RequestEvent{ctx_.get<Inquiry>().sub_question, read_.request,
                                 JsonText{bare_argument(read_.argument)}, reply_.usage});
    }
    /// The last turn: the reply is the best available answer.
    NextAction close() {
        if (read_.error.empty() && read_.request == final_answer) {
            tell();
            return answer(AnswerOutcome::limit, bare_argument(read_.argument), true);
        }
        const auto words = read_reflection(reply_.text);
        if (!read_.error.empty() && !words.empty() && words.find('{') == words.npos)
            return answer(AnswerOutcome::limit, words, true);  // an answer without its form
        return answer(AnswerOutcome::limit, no_answer(last_reflection(), "reflection"), false);
    }
    std::string last_reflection() const {
        std::string last;
        for (const auto& step : ctx_.get<CurrentReasoning>())
            if (!step.thought.empty()) last = step.thought;
        return last;
    }
    NextAction answer(AnswerOutcome outcome, std::string response, bool real) {
        return conclude(ctx_, outcome, std::move(response), real, reply_.model);
    }
    Context& ctx_;
    ChooseEvent event_;
    const models::ChatReply& reply_;
    const ReflectOptions& options_;
    ActionReply read_;
};

awaitable<NextAction> choose(Context& ctx, ChooseEvent event, models::ChatModel& model, const tools::Registry& tools,
                             const ReflectOptions& options) {
    auto& clock = co_await this_clock();
    event.closing = event.closing || !begin_asking(ctx, options, clock);
    const auto inquiry = ctx.get<Inquiry>();
    const OfferedActions offer{tools, inquiry.sub_question == 0};
    const MakePrompt prompt = [&](std::size_t bytes) {
        const auto context = growing_context(ctx, bytes);
        auto messages = messages_for(action_prompt(offer, options, inquiry.question, context.text),
                                     question_message(inquiry.question, context), event.faults, bytes);
        if (event.closing)
            messages.back().content += "\n\n" + closing_reason(ctx.get<Progress>().limit, "turns") + choice_closing;
        return messages;
    };
    auto asked = co_await ask(ctx, model, prompt, options);
    event.closing = event.closing || !asked;
    const auto reply = asked ? std::move(*asked) : models::ChatReply();
    ReflectTurn turn(ctx, std::move(event), reply, options);
    co_return turn.decide();
}

/// Records the action of this turn.
ToolCallEvent begin_call(Context& ctx, std::string tool, const nlohmann::json& arguments) {
    const auto number = ctx.get<Inquiry>().sub_question;
    ToolCallEvent call;
    call.id = models::call_ids::of_turn(ctx.get<Progress>().steps);
    if (number) call.id = "sub_" + std::to_string(number) + "_" + call.id;
    call.tool = std::move(tool);
    call.arguments.text = arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    ReasoningStep step{.kind = ReasoningKind::action};
    step.thought = take_reflection(ctx);
    step.call = call.id;
    step.tool = call.tool;
    step.arguments = call.arguments;
    ctx.edit<CurrentReasoning>([&step](auto& reasoning) { reasoning.push_back(std::move(step)); });
    return call;
}
template <class Next> Next begin_tool(Context& ctx, ActionReply action, const tools::Registry& tools) {
    auto arguments = arguments_for(tools.find(action.request), action.argument);
    std::vector<ToolCallEvent> calls{begin_call(ctx, std::move(action.request), arguments)};
    auto questions = ask_for_approvals(ctx, calls, tools);
    if (!questions.empty()) return std::move(questions.front());
    return std::move(calls.front());
}
/// Refuses a decomposition by an observation, as for an unknown tool.
ReflectEvent refuse(Context& ctx, const ActionReply& action, std::string why) {
    const nlohmann::json arguments = {{"question", action.argument}};
    auto call = begin_call(ctx, action.request, arguments);
    ToolOutputEvent output;
    output.id = std::move(call.id);
    output.tool = std::move(call.tool);
    output.arguments = std::move(call.arguments);
    output.output = "Error: " + why;
    output.ok = false;
    return note_result(ctx, std::move(output));
}
}

ReflectEvent note_result(Context& ctx, ToolOutputEvent output) {
    auto display = std::move(output.display);
    auto step = add_observation(ctx, std::move(output));
    const auto note = step.note.empty() ? "" : "\nNote: " + step.note;
    ctx.stream(ResultEvent{ctx.get<Inquiry>().sub_question, step.tool, step.text + note, step.ok, std::move(display)});
    return {};
}

awaitable<NextOfWhole> choose_action(Context& ctx, ChooseEvent event, models::ChatModel& model,
                                     const tools::Registry& tools, const ReflectOptions& options, Memory& memory) {
    auto choice = co_await choose(ctx, std::move(event), model, tools, options);
    if (auto* again = std::get_if<ChooseEvent>(&choice)) co_return std::move(*again);
    if (auto* answer = std::get_if<AnswerEvent>(&choice)) {
        if (is_answer(*answer)) co_await remember(ctx, memory, lessons_of(ctx, *answer, options));
        co_return std::move(*answer);
    }
    auto& action = std::get<ActionReply>(choice);
    if (action.request != decomposition) co_return begin_tool<NextOfWhole>(ctx, std::move(action), tools);
    if (ctx.get<Decompositions>().count >= options.max_decompositions)
        co_return refuse(ctx, action,
                         "there have been " + std::to_string(options.max_decompositions) +
                             " decompositions, and there is none after that: use a tool, or give the final answer");
    DecomposeEvent next;
    next.question = action.argument.is_string() ? action.argument.get<std::string>() : "";
    if (is_blank(next.question)) next.question = ctx.get<Inquiry>().question;
    const nlohmann::json arguments = {{"question", next.question}};
    next.call = begin_call(ctx, std::string(decomposition), arguments).id;
    co_return next;
}
awaitable<NextOfPart> choose_action_for_part(Context& ctx, ChooseEvent event, models::ChatModel& model,
                                             const tools::Registry& tools, const ReflectOptions& options) {
    auto choice = co_await choose(ctx, std::move(event), model, tools, options);
    if (auto* again = std::get_if<ChooseEvent>(&choice)) co_return std::move(*again);
    if (auto* answer = std::get_if<AnswerEvent>(&choice)) co_return std::move(*answer);
    auto& action = std::get<ActionReply>(choice);
    if (action.request != decomposition) co_return begin_tool<NextOfPart>(ctx, std::move(action), tools);
    co_return refuse(ctx, action, "a sub-question is not decomposed any further: use a tool, or give the final answer");
}
}
