// A Listener parses the reply while it arrives, and starts again when the model does; a ReactTurn decides the next
// event after the whole reply. The memory comes last, because it may wait.
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/agents/common/limits.hpp"
#include "steps/agents/common/model_request.hpp"
#include "steps/agents/memory/history_summary.hpp"
#include "steps/agents/memory/remember.hpp"
#include "steps/agents/react/steps.hpp"
#include "steps/agents/text/lenient_json.hpp"
#include "steps/models/call_ids.hpp"
#include "steps/models/reply_room.hpp"
#include "steps/models/tool_name.hpp"
#include <utility>

namespace weft::agents::inline react_steps {
namespace {
using NextEvent =
    std::variant<std::vector<ToolCallEvent>, std::vector<ToolApprovalRequestEvent>, PrepEvent, AnswerEvent>;

/// Parses the reply while it arrives, and streams its pieces.
class ReplyListener {
public:
    ReplyListener(Context& ctx, const Dialect& dialect, const tools::Registry& tools)
        : ctx_(ctx), dialect_(dialect), tools_(tools), parser_(dialect.parser_for(tools)) {}
    void hear(std::string_view delta) {
        if (heard_.empty()) models::reserve_reply(heard_, delta.size());
        heard_ += delta;
        parser_->feed(delta, tell_);
    }
    /// Streams a piece of the reasoning that precedes the text as a thought; it does not go back to the model.
    void hear_reasoning(std::string_view piece) {
        ctx_.stream(ThoughtDeltaEvent{std::string(piece)});
        reasoned_ = true;
    }
    void hear(const models::CallNote& note) {
        if (note.kind == models::CallNote::Kind::held) return;
        reasoned_ = false;
        if (!models::is_void_after(note.kind)) return;
        parser_ = dialect_.parser_for(tools_);
        heard_.clear();
    }
    Reply finish(const models::ChatReply& reply) {
        const std::string_view text = reply.text;
        if (text.starts_with(heard_)) {
            parser_->feed(text.substr(heard_.size()), tell_);                 // the rest after the deltas
            return parser_->finish(reply.calls.empty() ? tell_ : OnPiece());  // a text with calls may not be an answer
        }
        const auto parser = dialect_.parser_for(tools_);  // the deltas differ from the reply, and the reply counts
        parser->feed(text, {});
        return parser->finish({});
    }

private:
    void tell(PieceKind kind, std::string_view piece) {
        std::string text(piece);
        if (kind == PieceKind::thought && std::exchange(reasoned_, false)) text.insert(0, "\n");
        switch (kind) {
        case PieceKind::thought: return ctx_.stream(ThoughtDeltaEvent{std::move(text)});
        case PieceKind::action: return ctx_.stream(ActionDeltaEvent{std::move(text)});
        case PieceKind::action_input: return ctx_.stream(ActionInputDeltaEvent{std::move(text)});
        case PieceKind::answer: return ctx_.stream(AnswerDeltaEvent{std::move(text)});
        }
    }
    Context& ctx_;
    const Dialect& dialect_;
    const tools::Registry& tools_;
    std::unique_ptr<ReplyParser> parser_;
    std::string heard_;
    bool reasoned_ = false;
    const OnPiece tell_ = [this](PieceKind kind, std::string_view piece) { tell(kind, piece); };
};

/// Decides the next event after a reply.
class ReactTurn {
public:
    ReactTurn(Context& ctx, const InputEvent& input, const models::ChatReply& reply, Reply read,
              const tools::Registry& tools)
        : ctx_(ctx), input_(input), reply_(reply), read_(std::move(read)), tools_(tools) {}
    NextEvent decide() {
        check_refusal(ctx_, reply_, read_.text);
        if (input_.closing) return close();
        if (reply_.finish == models::FinishReason::length) return fault(was_cut_off);
        if (is_called_by_protocol()) return act_as_called();
        if (const auto lack = lack_of(reply_); !lack.empty()) return fault(lack);
        switch (read_.kind) {
        case ReplyKind::action: return act();
        case ReplyKind::answer: return answer(AnswerOutcome::answered, read_.answer, true);
        case ReplyKind::error: break;
        }
        return read_.unlabelled ? unlabelled() : fault(read_.error);
    }

private:
    NextEvent act() {
        ToolCallEvent call;
        ReasoningStep step{.kind = ReasoningKind::action};
        step.call = call.id = models::call_ids::of_turn(ctx_.get<Progress>().steps);
        step.thought = std::move(read_.thought);
        step.tool = call.tool = std::move(read_.action);
        step.arguments.text = call.arguments.text = std::move(read_.action_input);
        call.inner = std::move(read_.inner);
        step.reply = std::move(read_.written);
        if (read_.ignored)
            step.note = "only the first action of your reply was run. What came after it was ignored (" +
                        std::to_string(read_.ignored) + " more). One action in a reply.";
        if (!read_.note.empty()) (step.note += step.note.empty() ? "" : " Also, ") += read_.note;
        ctx_.stream(ActionEvent{step.call, step.thought, step.tool, step.arguments, step.note, reply_.usage});
        ctx_.edit<CurrentReasoning>([&step](auto& reasoning) { reasoning.push_back(std::move(step)); });
        end_faults(ctx_);
        return std::vector<ToolCallEvent>{std::move(call)};
    }
    /// True if the reply has a call by the protocol, although no tool was offered, and its text is at most a thought.
    bool is_called_by_protocol() const {
        const bool is_labelled = read_.kind == ReplyKind::answer && read_.answer != trimmed(read_.text);
        return !reply_.calls.empty() && read_.kind != ReplyKind::action && !is_labelled;
    }
    NextEvent act_as_called() {
        const auto& call = reply_.calls.front();
        const auto name = models::tool_name(call.name, [this](auto one) { return tools_.find(one) != nullptr; });
        if (!tools_.find(name))
            return fault("it calls '" + repair_utf8(utf8_cut(name, 64)) +
                         "' by a protocol for calls, and there is no such tool: write the action as text, in the form "
                         "that you were told");
        if (read_.kind == ReplyKind::answer) read_.thought = std::move(read_.answer);
        const auto arguments = lenient_input(call.arguments);
        read_.action = name;
        read_.action_input = arguments.ok() ? arguments.json : repair_utf8(call.arguments);
        read_.ignored = static_cast<int>(reply_.calls.size()) - 1;
        return act();
    }
    NextEvent fault(const std::string& error) {
        ctx_.stream(FaultEvent{error, read_.text, reply_.usage});
        note_fault(ctx_, {error, read_.thought, read_.text}, input_.max_faults);
        return PrepEvent{};
    }
    /// Reminds the model of the labels, which is no fault; the next time, takes the thought for the answer.
    NextEvent unlabelled() {
        if (ctx_.get<Progress>().reminded) return answer_unlabelled(AnswerOutcome::answered);
        ctx_.stream(FaultEvent{read_.error, read_.text, reply_.usage});
        ctx_.edit<Progress>([](auto& progress) { progress.reminded = true; });
        write_fault(ctx_, {read_.error, read_.thought, read_.text});
        return PrepEvent{};
    }
    NextEvent answer_unlabelled(AnswerOutcome outcome) {
        auto response = std::exchange(read_.thought, {});
        ctx_.stream(AnswerDeltaEvent{response});  // streamed as a thought before
        return answer(outcome, std::move(response), true);
    }
    /// The last turn: the reply is the best available answer.
    NextEvent close() {
        const bool is_empty = !lack_of(reply_).empty();
        if (!is_empty && read_.kind == ReplyKind::answer) return answer(AnswerOutcome::limit, read_.answer, true);
        if (!is_empty && read_.unlabelled) return answer_unlabelled(AnswerOutcome::limit);
        return answer(AnswerOutcome::limit, no_answer(read_.thought), false);
    }
    NextEvent answer(AnswerOutcome outcome, std::string response, bool real) {
        LastStep last{outcome, std::move(read_.thought), std::move(response), real, real ? "" : read_.text};
        return make_answer(ctx_, std::move(last), reply_.model);
    }
    Context& ctx_;
    const InputEvent& input_;
    const models::ChatReply& reply_;
    Reply read_;
    const tools::Registry& tools_;
};
}

awaitable<NextEvent> handle_llm_input(Context& ctx, InputEvent input, models::ChatModel& model, const Dialect& dialect,
                                      Memory& memory, const ReactOptions& options, const tools::Registry& tools) {
    if (input.summary.wanted()) {
        co_await summarise_past(ctx, std::move(input.messages), input.summary, model, options, memory);
        co_return PrepEvent{};
    }
    auto& clock = co_await this_clock();
    if (!begin_asking(ctx, options, clock)) co_return PrepEvent{};
    ReplyListener listener(ctx, dialect, tools);
    const models::OnDelta on_delta = [&listener](std::string_view delta) { listener.hear(delta); };
    models::ChatRequest request;
    request.kept = kept_messages(input.messages, input.closing);
    request.messages = std::move(input.messages);
    request.stop = dialect.stop();
    request.sampling = input.sampling;
    request.on_note = [&listener](const models::CallNote& note) { listener.hear(note); };
    request.on_reasoning = [&listener](std::string_view piece) { listener.hear_reasoning(piece); };
    const auto asked = co_await ask_model(ctx, model, std::move(request), options, input.can_shorten, on_delta);
    if (asked.too_long) co_return PrepEvent{};
    ReactTurn turn(ctx, input, asked.reply, listener.finish(asked.reply), tools);
    auto next = turn.decide();
    if (const auto* answer = std::get_if<AnswerEvent>(&next)) co_await remember_answer(ctx, memory, *answer);
    if (const auto* calls = std::get_if<std::vector<ToolCallEvent>>(&next))
        if (auto questions = ask_for_approvals(ctx, *calls, tools); !questions.empty()) next = std::move(questions);
    co_return next;
}
}
