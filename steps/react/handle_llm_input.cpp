#include "engine/error.hpp"
#include "engine/published.hpp"
#include "engine/utf8.hpp"
#include "steps/llm/model_error.hpp"
#include "steps/memory/remember.hpp"
#include "steps/react/budget.hpp"
#include "steps/react/steps.hpp"
#include <algorithm>
#include <optional>
#include <utility>

namespace weft::steps {
namespace {
using Next = std::variant<std::vector<ToolCallEvent>, PrepEvent, AnswerEvent>;

/// Reads the reply while it arrives, and tells it to the outside.
class Listener {
public:
    Listener(Context& ctx, const Dialect& dialect) : ctx_(ctx), dialect_(dialect), parser_(dialect.parser()) {}
    void hear(std::string_view delta) {
        heard_ += delta;
        parser_->feed(delta, tell_);
    }
    Reply finish(std::string_view text) {
        if (text.starts_with(heard_)) {
            parser_->feed(text.substr(heard_.size()), tell_);  // all of it, from a model that does not stream
            return parser_->finish(tell_);
        }
        const auto parser = dialect_.parser();  // the deltas were not the reply: the reply counts
        parser->feed(text, {});
        return parser->finish({});
    }

private:
    void tell(PieceKind kind, std::string_view piece) {
        std::string text(piece);
        switch (kind) {
        case PieceKind::thought: return ctx_.stream(ThoughtDeltaEvent{std::move(text)});
        case PieceKind::action: return ctx_.stream(ActionDeltaEvent{std::move(text)});
        case PieceKind::action_input: return ctx_.stream(ActionInputDeltaEvent{std::move(text)});
        case PieceKind::answer: return ctx_.stream(AnswerDeltaEvent{std::move(text)});
        }
    }
    Context& ctx_;
    const Dialect& dialect_;
    std::unique_ptr<ReplyParser> parser_;
    std::string heard_;
    const OnPiece tell_ = [this](PieceKind kind, std::string_view piece) { tell(kind, piece); };
};

/// What a reply leads to.
class Turn {
public:
    Turn(Context& ctx, const InputEvent& input, const llm::ChatReply& reply, Reply read)
        : ctx_(ctx), input_(input), reply_(reply), read_(std::move(read)) {}
    /// What is to be remembered, once it is decided.
    std::optional<Exchange>& learned() { return learned_; }
    Next decide() {
        ctx_.edit<Progress>([this](auto& progress) {
            progress.usage += reply_.usage;
            progress.again = false;
        });
        if (reply_.finish == llm::FinishReason::refused)
            throw Error(Code::model_refused, "the model refuses to reply to this" + quoted(read_.text));
        if (input_.closing) return close();
        if (reply_.finish == llm::FinishReason::length)
            return fault("it was cut off, because it is longer than the model may write. Reply more briefly");
        switch (read_.kind) {
        case ReplyKind::action: return act();
        case ReplyKind::answer: return answer(Outcome::answered, read_.answer, true);
        case ReplyKind::error: break;
        }
        return read_.unlabelled ? unlabelled() : fault(read_.error);
    }

private:
    static std::string quoted(const std::string& text) {
        return text.empty() ? std::string() : ": " + std::string(utf8_cut(text, 300));
    }
    void remember_step(ReasoningStep step) {
        ctx_.edit<CurrentReasoning>([&step](auto& reasoning) { reasoning.push_back(std::move(step)); });
    }
    Next act() {
        ToolCallEvent call;
        ReasoningStep step{.kind = ReasoningKind::action};
        step.call = call.id = "call_" + std::to_string(ctx_.get<Progress>().steps);
        step.thought = std::move(read_.thought);
        step.tool = call.tool = std::move(read_.action);
        step.arguments.text = call.arguments.text = std::move(read_.action_input);
        call.inner = std::move(read_.inner);
        step.reply = std::move(read_.written);
        if (read_.ignored)
            step.note = "only the first action of your reply was run. What came after it was ignored (" +
                        std::to_string(read_.ignored) + " more). One action in a reply.";
        ctx_.stream(ActionEvent{step.call, step.thought, step.tool, step.arguments, step.note, reply_.usage});
        remember_step(std::move(step));
        ctx_.edit<Progress>([](auto& progress) { progress.faults = 0, progress.reminded = false; });
        std::vector<ToolCallEvent> calls;
        calls.push_back(std::move(call));
        return calls;
    }
    Next fault(const std::string& error) {
        ctx_.stream(FaultEvent{error, read_.text, reply_.usage});
        const auto faults = ctx_.get<Progress>().faults + 1;
        if (faults >= input_.max_faults)
            throw Error(Code::model_failed, std::to_string(faults) +
                                                " replies of the model in a row could not be followed; the last one: " +
                                                error + ". Another model may do better");
        ctx_.edit<Progress>([faults](auto& progress) { progress.faults = faults, progress.reminded = false; });
        return ask_again(error);
    }
    /// One reminder, which is no fault; then it is taken for the answer.
    Next unlabelled() {
        if (ctx_.get<Progress>().reminded) return answer_unlabelled(Outcome::answered);
        ctx_.stream(FaultEvent{read_.error, read_.text, reply_.usage});
        ctx_.edit<Progress>([](auto& progress) { progress.reminded = true; });
        return ask_again(read_.error);
    }
    Next ask_again(const std::string& error) {
        ReasoningStep step{.kind = ReasoningKind::fault, .ok = false};
        step.thought = std::move(read_.thought);
        step.text = error;
        step.reply = std::move(read_.text);
        remember_step(std::move(step));
        return PrepEvent{};
    }
    Next answer_unlabelled(Outcome outcome) {
        auto response = std::exchange(read_.thought, {});
        ctx_.stream(AnswerDeltaEvent{response});  // until now it has been told as a thought
        return answer(outcome, std::move(response), true);
    }
    /// The last turn: whatever the model wrote is the best there is.
    Next close() {
        if (read_.kind == ReplyKind::answer) return answer(Outcome::limit, read_.answer, true);
        if (read_.unlabelled) return answer_unlabelled(Outcome::limit);
        std::string response = "No answer was found before the run came to its limit.";
        if (!read_.thought.empty()) response += " The last thought was: " + read_.thought;
        return answer(Outcome::limit, std::move(response), false);
    }
    Next answer(Outcome outcome, std::string response, bool real) {
        ReasoningStep step{.kind = ReasoningKind::answer, .ok = real};
        step.thought = std::move(read_.thought);
        step.text = response;
        if (!real) step.reply = read_.text;
        remember_step(std::move(step));
        AnswerEvent event;
        event.outcome = outcome;
        event.steps = ctx_.get<Progress>().steps;
        event.usage = ctx_.get<Progress>().usage;
        event.model = reply_.model;
        const auto& reasoning = ctx_.get<CurrentReasoning>();
        event.reasoning.assign(reasoning.begin(), reasoning.end());
        for (const auto& seen : reasoning)
            if (seen.kind == ReasoningKind::observation) {
                event.sources.insert(event.sources.end(), seen.within.begin(), seen.within.end());
                if (seen.ok) event.sources.push_back({seen.call, seen.tool, seen.arguments, seen.text});
            }
        if (real) learned_ = Exchange{ctx_.get<Conversation>().question, response};
        event.response = std::move(response);
        return event;
    }
    Context& ctx_;
    const InputEvent& input_;
    const llm::ChatReply& reply_;
    Reply read_;
    std::optional<Exchange> learned_;
};

/// The prompt was refused as too long: the next one has half of its size, as far as there is anything to leave out.
Next shorten(Context& ctx, const llm::ChatRequest& request) {
    const auto refused = estimate_tokens(request.messages);
    ctx.edit<Progress>([refused](auto& progress) {
        progress.context_tokens = static_cast<std::int64_t>(std::max<std::size_t>(refused / 2, 1));
        progress.again = true;
    });
    ctx.stream(WarningEvent{"the model cannot read so long a prompt, of about " + std::to_string(refused) +
                            " tokens: it is asked again with a shorter one"});
    return PrepEvent{};
}
}

awaitable<Next> handle_llm_input(Context& ctx, InputEvent input, llm::ChatModel& model, const Dialect& dialect,
                                 Memory& memory) {
    Listener listener(ctx, dialect);
    const llm::OnDelta on_delta = [&listener](std::string_view delta) { listener.hear(delta); };
    llm::ChatRequest request;
    request.messages = std::move(input.messages);
    request.stop = dialect.stop();
    request.sampling = input.sampling;
    llm::ChatReply reply;
    bool too_long = false;
    try {
        auto chatting = model.chat(request, on_delta);
        reply = co_await std::move(chatting);
    } catch (const llm::PromptTooLong&) {
        if (!input.can_shorten || ctx.get<Progress>().again) throw;
        too_long = true;
    }
    if (too_long) co_return shorten(ctx, request);
    Turn turn(ctx, input, reply, listener.finish(reply.text));
    auto next = turn.decide();
    if (turn.learned()) {
        auto remembering = remember(ctx, memory, std::move(*turn.learned()));
        co_await std::move(remembering);
    }
    co_return next;
}
}
