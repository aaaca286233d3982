// The process leaves a run only once it is idle, when its other branches have finished their work.
#include "workflows/driver/follow.hpp"
#include "engine/ending.hpp"
#include "engine/engine.hpp"
#include "engine/json_run.hpp"
#include "steps/agents/common/approvals.hpp"
#include "steps/agents/common/tool_question.hpp"
#include "steps/view/event_line.hpp"
#include "steps/view/trace_printer.hpp"
#include "workflows/catalog/process_resources.hpp"
#include "workflows/driver/resume_hints.hpp"
#include "workflows/driver/run_watcher.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace weft::driver {
namespace {
/// A question without an answer from this process.
struct UnansweredQuestion {
    QuestionId id;
    std::string event;
};

/// Another process has answered or cancelled first.
struct AnswerConflict : std::exception {};

class Follower {
public:
    Follower(JsonRun run, const FollowContext& by, FollowOptions how)
        : run_(std::move(run)), by_(by), how_(std::move(how)), stays_(by.process.keeps_runs()) {}
    nlohmann::json follow() {
        Interrupts::InterruptWatch watch(by_.interrupts, [run = run_, stays = stays_]() mutable { stop(run, stays); });
        while (auto event = by_.process.engine().wait(run_.next_event())) on(*event);
        if (mistake_) throw_mistake();
        return result();
    }

private:
    static void stop(JsonRun& run, bool stays) { stays ? run.leave() : run.cancel(); }
    void leave() {
        left_ = stays_;
        stop(run_, stays_);
    }
    void on(AnyEvent& event) {
        if (!run_.asks(event) && !event.get_if<RunProgressEvent>()) allowed_.clear();
        const bool was_left = stays_ && (left_ || by_.interrupts.seen());
        if (was_left && (left_ || ending_of(event))) return;  // the run continues in its store
        if (stays_ && event.get_if<RunIdleEvent>()) return rest();
        how_.show(event);
        if (run_.asks(event)) return ask(event);
        if (const auto* refused = event.get_if<UnhandledEvent>())
            for (auto& question : how_.inbox.refused(refused->event)) ask(question);
    }
    void rest() {
        if (by_.watcher.has_ended() || !run_.idle()) return;  // an outdated event: another one follows
        std::erase_if(open_, [&](const UnansweredQuestion& each) { return by_.watcher.is_closed(each.id); });
        if (!open_.empty()) leave();
    }
    void ask(AnyEvent& question) {
        const auto id = question.question();
        if (mistake_ || how_.inbox.takes(question) || by_.watcher.is_closed(id)) return;
        const auto* call = question.get_if<agents::ToolApprovalRequestEvent>();
        if (call && call->mistake.empty() && allowed_.contains({call->tool, call->fingerprint}))
            return decide(question, {{"decision", "approve"}});
        how_.before_question();
        if (!how_.lines) how_.lines = &own_lines_.emplace(by_.interrupts);
        const auto refuse_if_late = [&] {
            if (stays_ && has_mail(*by_.process.store(), run_.id(), id)) throw AnswerConflict();
        };
        try {
            const auto said = answer(run_, question, *how_.lines,
                                     {.deadline = how_.deadline, .unwanted = by_.watcher.closed(id), .begun = {}},
                                     refuse_if_late);
            if (call && said.value("decision", "") == "always") allowed_.emplace(call->tool, call->fingerprint);
        } catch (const AnswerConflict&) {
            how_.lines->drop_typed();
            note("another process has answered or cancelled first, so what was typed here is dropped");
        } catch (const Error& error) { not_answered(question, error.code()); }
    }
    void decide(const AnyEvent& question, const nlohmann::json& decision) {
        run_.answer(question.question(), answers_to(run_, question).front()->name, decision);
    }
    /// Without input, rejects a tool call or leaves a tool's question unanswered: the model gets the reason, and the
    /// run continues. In a store the question stays open instead, unless a later answer would be useless. Returns
    /// whether the question is decided.
    bool decide_without_input(const AnyEvent& question, Code code) {
        const auto* call = question.get_if<agents::ToolApprovalRequestEvent>();
        const auto* asked = question.get_if<agents::ToolQuestionEvent>();
        const bool no_input = code == Code::idle || code == Code::configuration;
        const bool waits = stays_ && !(asked && asked->once);
        if ((!call && !asked) || waits || !no_input) return false;
        if (how_.lines->terminal())  // Ctrl-D
            decide(question, asked ? nlohmann::json{{"action", "cancel"}} : nlohmann::json{{"decision", "reject"}});
        else if (asked) {
            note("standard input has no answer to the question of " + asked->tool +
                 ", so the tool continues without it: run weft at a terminal to be asked" +
                 (stays_ ? "; a later answer would be lost, because this call is not made again" : ""));
            decide(question, {{"action", "unanswered"}});
        } else {
            note("standard input does not say whether " + call->tool +
                 " may run, so it does not: run weft at a terminal to be asked, or decide by --yes, --allow or "
                 "--permission");
            decide(question,
                   {{"decision", "unanswered"}, {"reason", "there is no terminal, and standard input has no answer"}});
        }
        return true;
    }
    /// Call it within the handler of the error that has this code.
    void not_answered(const AnyEvent& question, Code code) {
        const bool answered = by_.watcher.is_answered(question.question());
        if (answered || by_.watcher.is_closed(question.question())) {
            how_.lines->drop_typed();
            return note("the question " + std::string(question.name()) +
                        (answered ? " was answered elsewhere" : " needs no answer any more") +
                        ", so what was typed here is dropped");
        }
        if (decide_without_input(question, code)) return;
        const bool ends = code == Code::timed_out || by_.interrupts.seen() || by_.watcher.has_ended();
        if (ends) return;  // the run ends too, and reports the cause
        open_.push_back({question.question(), std::string(question.name())});
        if (stays_ && code == Code::idle) return;  // rest() leaves the run once it is idle
        mistake_ = std::current_exception();
        leave();
    }

    nlohmann::json result() {
        try {
            return by_.process.engine().wait(run_.result());
        } catch (const Error& error) {
            if (!stays_ || error.code() != Code::cancelled) throw;
            if (left_ && !was_cancelled(by_.process.options(), run_.id()))
                throw left(Code::idle, ExitCode::waiting,
                           "run " + run_.id() + " waits for the answer to " + questions() +
                               ", and standard input has none. It stays in its store: answer it, and then continue it");
            if (!left_ && by_.interrupts.seen())
                throw LeftRun(Code::cancelled, interrupted_sentence(by_.process.options(), run_.id()),
                              ExitCode::cancelled, "interrupted", run_.id(), "");
            throw Error(Code::cancelled, "run " + run_.id() + " was cancelled elsewhere, before it had a result");
        }
    }
    [[noreturn]] void throw_mistake() {
        try {
            by_.process.engine().wait(run_.result());  // waits until the run has left memory
        } catch (const Error&) {}
        try {
            std::rethrow_exception(mistake_);
        } catch (const Error& error) {
            if (!stays_) throw;
            throw left(error.code(), exit_of(error),
                       sentence_for(error) + ". Run " + run_.id() +
                           " stays in its store, and waits for the answer to " + questions() +
                           ": answer it, and then continue it");
        }
    }
    LeftRun left(Code code, ExitCode exit, const std::string& sentence) const {
        return {code, sentence, exit, "waiting", run_.id(), commands_for(by_.process.options(), run_.id())};
    }
    std::string questions() const {
        std::map<std::string, int> times;
        for (const auto& each : open_) ++times[each.event];
        std::string text;
        for (const auto& [event, n] : times)
            (text += text.empty() ? "" : ", ") += n == 1 ? event : event + " (" + std::to_string(n) + " times)";
        return text;
    }

    JsonRun run_;
    const FollowContext by_;
    FollowOptions how_;
    const bool stays_;
    std::optional<InputLines> own_lines_;  // made at the first question
    std::exception_ptr mistake_;           // in an answer; the run ends, and its last event is shown as usual
    std::vector<UnansweredQuestion> open_;
    bool left_ = false;
    // Tools and fingerprints that an "always" allows; other questions about them may have been asked at the same time.
    std::set<std::pair<std::string, std::string>> allowed_;
};
}

nlohmann::json follow(JsonRun run, const FollowContext& by, FollowOptions how) {
    return Follower(std::move(run), by, std::move(how)).follow();
}
ExitCode follow_and_print(JsonRun run, const FollowContext& by, PrintOptions how) {
    view::TracePrinter trace(tell, {.colour = wants_colour()});
    const auto show = [&, run](const AnyEvent& event) {
        if (how.events) say_trusted(view::event_line(event) + '\n');
        else if (!how.quiet && !run.asks(event) && !ending_of(event))
            trace.on(event);  // the driver reports an end in a sentence
    };
    try {
        const auto result = follow(run, by, {.show = show, .deadline = how.deadline, .inbox = std::move(how.inbox)});
        if (!how.events) say_json(result);
        return ExitCode::ok;
    } catch (const LeftRun& left) {
        complain(left.what());
        tell(left.commands);
        return left.exit;
    } catch (const RunError& error) {
        complain(sentence_for(error));
        tell(commands_after(error, by.process.options(), run.id()));
        return exit_of(error);
    }
}
}
