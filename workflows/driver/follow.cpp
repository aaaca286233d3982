// A run is left only once it is idle: what its other branches are doing is done before.
#include "workflows/driver/follow.hpp"
#include "engine/ending.hpp"
#include "engine/engine.hpp"
#include "engine/json_run.hpp"
#include "steps/view/event_line.hpp"
#include "steps/view/trace_printer.hpp"
#include "workflows/catalog/setup.hpp"
#include "workflows/driver/answers.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/interrupts.hpp"
#include "workflows/driver/leaving.hpp"
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
class Follower {
public:
    Follower(JsonRun run, catalog::Setup& setup, Interrupts& interrupts, Following how)
        : run_(std::move(run)),
          setup_(setup),
          interrupts_(interrupts),
          how_(std::move(how)),
          stays_(setup.keeps_runs()),
          trace_(tell, {.colour = wants_colour()}) {}
    Exit follow() {
        Interrupts::Watch watch(interrupts_, [run = run_, stays = stays_]() mutable { stop(run, stays); });
        while (auto event = setup_.engine().wait(run_.next_event())) on(*event);
        return end();
    }

private:
    static void stop(JsonRun& run, bool stays) { stays ? run.leave() : run.cancel(); }
    bool was_left() const { return stays_ && (left_ || interrupts_.seen()); }
    void on(AnyEvent& event) {
        if (was_left() && (left_ || ending_of(event))) return;  // it ends here only
        if (stays_ && event.get_if<RunIdleEvent>()) return waiting_.empty() ? void() : leave();
        if (how_.events) say_trusted(view::event_line(event) + '\n');
        if (run_.asks(event)) return ask(event);
        if (!how_.quiet && !how_.events && !ending_of(event)) trace_.on(event);  // an end has its sentence
        if (const auto* refused = event.get_if<UnhandledEvent>()) ask_again(*refused);
    }
    void ask_again(const UnhandledEvent& refused) {
        for (auto& question : how_.inbox.refused(refused.event)) ask(question);
    }
    void ask(AnyEvent& question) {
        if (mistake_ || how_.inbox.takes(question)) return;
        if (!lines_) lines_.emplace(interrupts_);
        try {
            answer(run_, question, *lines_, how_.deadline);
        } catch (const Error& error) {
            // By these the run ends too, and says so.
            if (error.code() == Code::cancelled || error.code() == Code::timed_out) return;
            if (stays_ && error.code() == Code::idle) return note_waiting(question);
            mistake_ = std::current_exception();
            leave();
        }
    }
    void note_waiting(const AnyEvent& question) {
        (waiting_ += waiting_.empty() ? "" : ", ") += question.name();
        for (auto& command : answer_commands(setup_.options(), run_, question)) commands_ += command + '\n';
    }
    void leave() {
        left_ = stays_;
        stop(run_, stays_);
    }
    Exit end() {
        if (mistake_) {
            if (stays_) tell(resume_command(setup_.options().store_file, run_.id()) + '\n');
            std::rethrow_exception(mistake_);
        }
        nlohmann::json result;
        try {
            result = setup_.engine().wait(run_.result());
        } catch (const Error& error) {
            if (!was_left() || error.code() != Code::cancelled) throw;
            if (waiting_.empty()) throw Error(Code::cancelled, interrupted_sentence(setup_.options(), run_.id()));
            return say_waiting();
        }
        if (!how_.events) say_json(result);
        return Exit::ok;
    }
    Exit say_waiting() const {
        complain("run " + run_.id() + " waits for the answer to " + waiting_ +
                 ", and standard input has none. It stays in its store: answer it, and then go on with it");
        tell(commands_ + resume_command(setup_.options().store_file, run_.id()) + '\n');
        return Exit::waiting;
    }

    JsonRun run_;
    catalog::Setup& setup_;
    Interrupts& interrupts_;
    Following how_;
    const bool stays_;
    view::TracePrinter trace_;
    std::optional<Lines> lines_;      // nobody is asked before there is a question
    std::exception_ptr mistake_;      // in an answer: the run ends here, and its last event is shown as any other's
    std::string waiting_, commands_;  // questions that nobody answers here
    bool left_ = false;
};
}

Exit follow(JsonRun run, catalog::Setup& setup, Interrupts& interrupts, Following how) {
    return Follower(std::move(run), setup, interrupts, std::move(how)).follow();
}
}
