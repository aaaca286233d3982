// If the model or its server refuses the first request with tools, the question goes to the agent that writes calls as
// text. Calls of one reply run side by side only if every tool among them allows it.
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/ask_for.hpp"
#include "steps/agents/common/budget_notes.hpp"
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/agents/common/limits.hpp"
#include "steps/agents/common/model_request.hpp"
#include "steps/agents/memory/history_summary.hpp"
#include "steps/agents/memory/remember.hpp"
#include "steps/agents/native/repaired_calls.hpp"
#include "steps/agents/native/steps.hpp"
#include "steps/agents/native/transcript.hpp"
#include "steps/agents/react/dialects/text_calls.hpp"
#include "steps/agents/react/steps.hpp"
#include "steps/models/call_ids.hpp"
#include "steps/models/model_error.hpp"
#include <algorithm>
#include <set>
#include <utility>

namespace weft::agents::inline native_steps {
namespace {
using Calls = std::vector<ToolCallEvent>;
using TurnEnd = std::variant<Calls, std::vector<ToolApprovalRequestEvent>, AskEvent, AnswerEvent, TextAgentEvent>;
constexpr auto usual_instructions =
    "You answer questions with the help of tools. Call a tool whenever it knows better than you do, and several at "
    "once "
    "if none needs the result of another. A result that begins with \"Error:\" says what to change. When you know "
    "enough, answer in plain words, and rest the answer on what the tools said.";

std::string instructions(const ToolAgentOptions& options) {
    std::string text = usual_instructions;
    if (!options.system.empty()) text += "\n\n" + options.system;
    if (options.form) text += "\n\n" + options.form->instruction();
    return text;
}
std::string closing_words(const std::string& limit) {
    return closing_reason(limit) +
           ", and no tool runs any more. Give the best answer that you can with what you know now.";
}
std::vector<models::ToolSpec> specs_of(const tools::Registry& tools) {
    std::vector<models::ToolSpec> specs;
    for (std::size_t i = 0; i < tools.all().size(); ++i) {
        const auto& tool = *tools.all()[i];
        specs.push_back({tool.name(), tool.description(), tools.schema_text(i)});
    }
    return specs;
}
/// The entries of a summary's request: the messages after the question.
std::vector<std::string> tell(const Transcript& transcript, std::size_t from, std::size_t to) {
    std::vector<std::string> entries;
    for (auto i = from + 1; i < to + 1; ++i) {
        const auto& message = transcript[i];
        const auto role = message.role;
        entries.push_back(past_entry(role == models::Role::assistant ? "REPLY"
                                     : role == models::Role::tool    ? "RESULT"
                                                                     : "NOTE",
                                     message.content));
        for (const auto& call : message.calls) entries.push_back(past_entry("CALL", call.name + ' ' + call.arguments));
    }
    return entries;
}
/// Fills in the request of this turn; or returns a prompt whose `summary` is wanted, and leaves the request.
FittedPrompt prepare(Context& ctx, models::ChatRequest& request, const tools::Registry& tools,
                     const ToolAgentOptions& options, bool summarised) {
    const auto told = with_notes(ctx.get<Transcript>(), ctx.get<Progress>().notes);
    const HistoryPrompt past{[&](std::size_t tokens, const auto& summary) {
                                 return fit_transcript(instructions(options), ctx.get<Conversation>(), told, tokens,
                                                       summary);
                             },
                             [&](std::size_t from, std::size_t to) { return tell(ctx.get<Transcript>(), from, to); }};
    auto fitted = fit_past(ctx, options, past, summarised);
    if (fitted.summary.wanted()) return fitted;
    const auto& progress = ctx.get<Progress>();
    request.messages = std::move(fitted.messages);
    if (progress.closing) request.messages.push_back(models::user(closing_words(progress.limit)));
    request.kept = kept_messages(request.messages, progress.closing);
    request.tools = specs_of(tools);
    if (progress.closing) request.choice = models::ToolChoice::none;
    if (options.form) request.schema = options.form->schema();
    request.sampling = options.sampling;
    return fitted;
}

/// Returns the calls that begin now: all if their tools are parallel, else the first. The others wait in OpenCalls.
Calls begin_calls(Context& ctx, Calls calls, const tools::Registry& tools) {
    const bool parallel = std::all_of(calls.begin(), calls.end(), [&tools](const auto& call) {
        const auto* tool = tools.find(call.tool);
        return !tool || tool->is_parallel();
    });
    if (parallel || calls.size() < 2) return calls;
    ctx.edit<OpenCalls>([&calls](auto& open) { open.waiting.assign(calls.begin() + 1, calls.end()); });
    calls.resize(1);
    return calls;
}
/// Decides the next event after a reply.
class NativeTurn {
public:
    NativeTurn(Context& ctx, models::ChatReply& reply, const tools::Registry& tools, const ToolAgentOptions& options)
        : ctx_(ctx), reply_(reply), tools_(tools), options_(options) {
        reply_.text = repair_utf8(reply_.text);
    }
    TurnEnd decide() {
        check_refusal(ctx_, reply_, reply_.text);
        if (ctx_.get<Progress>().closing) return close();
        if (reply_.finish == models::FinishReason::length) return fault(was_cut_off);
        if (!reply_.calls.empty()) return act_as_called();
        if (const auto lack = lack_of(reply_); !lack.empty()) return fault(lack + ". Call a tool, or answer");
        AnswerForm::FormValue read;
        if (options_.form) read = options_.form->read(reply_.text);
        if (options_.form && read.mistake.empty()) return answer(AnswerOutcome::answered, read.value.dump(), true);
        auto written = read_text_calls(reply_.text, tools_);
        if (!written.error.empty())
            return fault(written.error + ". Call a tool only by the protocol for calls, or answer in plain words");
        if (!written.calls.empty()) return act_as_written(std::move(written.calls));
        if (options_.form) return fault(read.mistake, repair_words(read.mistake));
        return answer(AnswerOutcome::answered, reply_.text, true);
    }

private:
    void remember_step(ReasoningStep step) {
        ctx_.edit<CurrentReasoning>([&step](auto& reasoning) { reasoning.push_back(std::move(step)); });
    }
    void say(models::Message message) {
        ctx_.edit<Transcript>([&message](auto& transcript) { transcript.push_back(std::move(message)); });
    }
    /// Makes the ids of the calls unique, because a result refers to its call by the id.
    void tell_calls_apart() {
        std::set<std::string_view> ids;
        bool apart = true;
        for (const auto& call : reply_.calls) apart = !call.id.empty() && ids.insert(call.id).second && apart;
        if (apart) return;
        for (std::size_t i = 0; i < reply_.calls.size(); ++i) reply_.calls[i].id = id_of(i);
        reply_.native = {};  // the native form has the former ids
    }
    std::string id_of(std::size_t i) const {
        const std::size_t turn = ctx_.get<Progress>().steps;
        return reply_.calls.size() == 1 ? models::call_ids::of_turn(turn) : models::call_ids::of_turn(turn, i + 1);
    }
    /// Shows the model its written calls as calls by the protocol, so that it uses the protocol from now on.
    TurnEnd act_as_written(std::vector<models::ToolCall> calls) {
        reply_.calls = std::move(calls);
        reply_.text.clear();
        reply_.native = {};
        return act("the call came as text, and counts as a call by the protocol");
    }
    TurnEnd act_as_called() {
        const bool is_mended = mend_calls(reply_.calls, tools_);
        if (is_mended) reply_.native = {};  // the native form has the former calls
        return act(is_mended ? "the call was not in its form, and was run as it is shown here" : "");
    }
    TurnEnd act(const std::string& note = {}) {
        tell_calls_apart();
        Calls calls;
        for (std::size_t i = 0; i < reply_.calls.size(); ++i) {
            const auto& asked = reply_.calls[i];
            ReasoningStep step{.kind = ReasoningKind::action};
            step.call = id_of(i);
            if (i == 0) step.thought = reply_.text;
            step.tool = repair_utf8(asked.name);
            step.arguments.text = repair_utf8(asked.arguments);
            if (i == 0) step.note = note;
            const auto usage = i == 0 ? reply_.usage : models::Usage();
            ctx_.stream(ActionEvent{step.call, step.thought, step.tool, step.arguments, step.note, usage});
            auto& call = calls.emplace_back();
            call.id = step.call;
            call.tool = step.tool;
            call.arguments = step.arguments;
            remember_step(std::move(step));
        }
        say(reply_.message());
        const auto now = std::min(calls.size(), allowed());
        OpenCalls open;
        open.refused.assign(calls.begin() + static_cast<std::ptrdiff_t>(now), calls.end());
        calls.resize(now);
        ctx_.edit<OpenCalls>([&open](auto& slot) { slot = std::move(open); });
        if (auto questions = ask_for_approvals(ctx_, calls, tools_); !questions.empty()) return questions;
        return begin_calls(ctx_, std::move(calls), tools_);
    }
    /// The number of calls of this reply that may run.
    std::size_t allowed() const {
        constexpr std::int64_t most_in_reply = 128;  // the limit of the readers of replies
        const auto& spent = ctx_.get<Progress>().spent;
        const std::int64_t bound = options_.budget.tool_calls;
        return static_cast<std::size_t>(
            bound == 0 ? most_in_reply : std::clamp<std::int64_t>(bound - spent.tool_calls, 0, most_in_reply));
    }
    TurnEnd fault(const std::string& error, std::string words = {}) {
        ctx_.stream(FaultEvent{error, reply_.text, reply_.usage});
        note_fault(ctx_, {error, "", reply_.text}, options_.max_faults);
        // The transcript gets the reply without its calls, because they will have no results.
        say(models::assistant(is_blank(reply_.text) ? "(This reply has no text.)" : reply_.text));
        say(models::user(words.empty() ? "Your last reply cannot be used: " + error + "." : std::move(words)));
        return AskEvent{};
    }
    /// The last turn: the reply is the best available answer.
    TurnEnd close() {
        if (is_blank(reply_.text) && options_.form)
            throw Error(Code::model_failed, "the run came to its limit without an answer that fits the schema");
        if (!options_.form) {
            const auto written = read_text_calls(reply_.text, tools_);
            const bool is_text = !is_blank(reply_.text) && written.calls.empty() && written.error.empty();
            return answer(AnswerOutcome::limit, is_text ? reply_.text : no_answer(""), is_text);
        }
        auto read = options_.form->read(reply_.text);
        if (read.mistake.empty()) return answer(AnswerOutcome::limit, read.value.dump(), true);
        throw Error(Code::model_failed,
                    "the run came to its limit, and its last answer does not fit the schema: " + read.mistake);
    }
    TurnEnd answer(AnswerOutcome outcome, std::string response, bool real) {
        LastStep last{outcome, "", std::move(response), real, real ? "" : reply_.text};
        return make_answer(ctx_, std::move(last), reply_.model);
    }
    Context& ctx_;
    models::ChatReply& reply_;
    const tools::Registry& tools_;
    const ToolAgentOptions& options_;
};

TurnEnd talk_in_text(Context& ctx, const std::string& why) {
    ctx.stream(WarningEvent{why + ". The agent continues in text, as `react` does"});
    ctx.edit<Progress>([](auto& progress) { progress.steps = 0; });
    return TextAgentEvent{ctx.get<Conversation>().question};
}
}

std::variant<std::vector<ToolApprovalRequestEvent>, Calls> begin_approved_calls(Context& ctx,
                                                                                std::vector<ToolApprovalEvent> answers,
                                                                                const tools::Registry& tools) {
    auto next = hear_approvals(ctx, std::move(answers), tools);
    if (auto* calls = std::get_if<Calls>(&next)) *calls = begin_calls(ctx, std::move(*calls), tools);
    return next;
}
AskEvent open_transcript(Context& ctx, UserMessageEvent message, Memory& memory) {
    new_user_message(ctx, std::move(message), memory);
    auto question = models::user(ctx.get<Conversation>().question);
    ctx.edit<Transcript>([&question](auto& transcript) { transcript.push_back(std::move(question)); });
    return {};
}

awaitable<TurnEnd> ask_with_tools(Context& ctx, AskEvent, models::ChatModel& model, const tools::Registry& tools,
                                  const ToolAgentOptions& options, Memory& memory) {
    auto& clock = co_await this_clock();
    if (!model.calls_tools()) co_return talk_in_text(ctx, model.name() + " cannot call tools by itself");
    const bool summarised = goes_on(ctx, options), again = summarised || ctx.get<Progress>().again;
    if (!again) ctx.edit<Progress>([&](auto& progress) { begin_step(progress, options); });
    if (!begin_asking(ctx, options, clock)) co_return AskEvent{};
    if (!again) {
        const auto& progress = ctx.get<Progress>();
        ctx.stream(TurnEvent{progress.closing ? 0 : progress.steps, options.max_steps, progress.limit});
    }
    if (!again) note_what_is_left(ctx, options.budget, ctx.get<Transcript>().size() - 1);
    models::ChatRequest request;
    auto fitted = prepare(ctx, request, tools, options, summarised);
    if (fitted.summary.wanted()) {
        co_await summarise_past(ctx, std::move(fitted.messages), fitted.summary, model, options, memory);
        co_return AskEvent{};
    }
    const models::OnDelta on_delta = [&ctx](std::string_view delta) {
        ctx.stream(ReplyDeltaEvent{std::string(delta)});
    };
    request.on_reasoning = [&ctx](std::string_view piece) { ctx.stream(ThoughtDeltaEvent{std::string(piece)}); };
    AskResult asked;
    std::string no_tools;
    try {
        asked = co_await ask_model(ctx, model, std::move(request), options, fitted.can_shorten, on_delta);
    } catch (const models::ToolsUnsupported& error) {
        if (ctx.get<Transcript>().size() > 1) throw;  // the model has called tools before
        no_tools = error.what();
    }
    if (!no_tools.empty()) co_return talk_in_text(ctx, no_tools);
    if (asked.too_long) co_return AskEvent{};
    NativeTurn turn(ctx, asked.reply, tools, options);
    auto next = turn.decide();
    if (const auto* answer = std::get_if<AnswerEvent>(&next)) co_await remember_answer(ctx, memory, *answer);
    co_return next;
}
}
