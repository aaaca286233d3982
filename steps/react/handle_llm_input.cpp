#include "engine/error.hpp"
#include "engine/published.hpp"
#include "engine/utf8.hpp"
#include "steps/react/steps.hpp"

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
    Turn(Context& ctx, const InputEvent& input, const llm::ChatReply& reply, Reply read, Memory& memory)
        : ctx_(ctx), input_(input), reply_(reply), read_(std::move(read)), memory_(memory) {}
    Next decide() {
        ctx_.edit<Progress>([this](auto& progress) {
            progress.usage.prompt_tokens += reply_.usage.prompt_tokens;
            progress.usage.completion_tokens += reply_.usage.completion_tokens;
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
        return fault(read_.error);
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
        if (read_.ignored)
            step.note = "only the first action of your reply was run. What came after it was ignored (" +
                        std::to_string(read_.ignored) + " more). One action in a reply.";
        ctx_.stream(ActionEvent{step.call, step.thought, step.tool, step.arguments, step.note, reply_.usage});
        remember_step(std::move(step));
        ctx_.edit<Progress>([](auto& progress) { progress.faults = 0; });
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
        ReasoningStep step{.kind = ReasoningKind::fault, .ok = false};
        step.thought = std::move(read_.thought);
        step.text = error;
        step.reply = std::move(read_.text);
        remember_step(std::move(step));
        ctx_.edit<Progress>([faults](auto& progress) { progress.faults = faults; });
        return PrepEvent{};
    }
    /// The last turn: whatever the model wrote is the best there is.
    Next close() {
        if (read_.kind == ReplyKind::answer) return answer(Outcome::limit, read_.answer, true);
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
            if (seen.kind == ReasoningKind::observation && seen.ok)
                event.sources.push_back({seen.call, seen.tool, seen.arguments, seen.text});
        if (real) memory_.append(ctx_.run_id(), {ctx_.get<Conversation>().question, response});
        event.response = std::move(response);
        return event;
    }
    Context& ctx_;
    const InputEvent& input_;
    const llm::ChatReply& reply_;
    Reply read_;
    Memory& memory_;
};
}

awaitable<Next> handle_llm_input(Context& ctx, InputEvent input, llm::ChatModel& model, const Dialect& dialect,
                                 Memory& memory) {
    Listener listener(ctx, dialect);
    const llm::OnDelta on_delta = [&listener](std::string_view delta) { listener.hear(delta); };
    llm::ChatRequest request;
    request.messages = std::move(input.messages);
    request.stop = dialect.stop();
    request.sampling = input.sampling;
    auto reply = co_await model.chat(request, on_delta);
    Turn turn(ctx, input, reply, listener.finish(reply.text), memory);
    co_return turn.decide();
}
}
