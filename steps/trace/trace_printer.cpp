#include "steps/trace/trace_printer.hpp"
#include "engine/run.hpp"
#include "engine/terminal.hpp"
#include "engine/utf8.hpp"
#include "steps/react/events.hpp"
#include "steps/react/outcome.hpp"
#include "steps/warning.hpp"

namespace weft::steps {
namespace {
constexpr int red = 91, green = 92, yellow = 93, blue = 94, cyan = 96, grey = 90;
}

void TracePrinter::on(const AnyEvent& event) { talk(event) || act(event) || end(event); }

bool TracePrinter::talk(const AnyEvent& event) {
    if (const auto* turn = event.get_if<TurnEvent>()) {
        close();
        acted_ = false;
        if (turn->step) steps_ = turn->step;
        else
            line("Limit", red,
                 std::string(steps_ < turn->limit ? "the same call came round too often" : "no steps are left") +
                     ", the model is asked for its best answer");
    } else if (const auto* thought = event.get_if<ThoughtDeltaEvent>()) piece(Part::thought, thought->text);
    else if (const auto* action = event.get_if<ActionDeltaEvent>()) piece(Part::action, action->text);
    else if (const auto* input = event.get_if<ActionInputDeltaEvent>()) piece(Part::input, input->text);
    else if (const auto* answer = event.get_if<AnswerDeltaEvent>()) piece(Part::answer, answer->text);
    else return false;
    return true;
}
bool TracePrinter::act(const AnyEvent& event) {
    if (const auto* action = event.get_if<ActionEvent>()) {
        if (!acted_) {
            piece(Part::thought, action->thought);
            piece(Part::action, action->tool);
            piece(Part::input, action->arguments.text);
        }
        close();
        acted_ = false;
        if (!action->note.empty()) line("Note", red, action->note);
    } else if (const auto* seen = event.get_if<ObservationEvent>()) observe(seen->text, seen->ok, seen->note);
    else if (const auto* fault = event.get_if<FaultEvent>()) line("Error", red, "the reply: " + fault->error);
    else if (const auto* warning = event.get_if<WarningEvent>()) line("Warning", red, warning->text);
    else return false;
    return true;
}
bool TracePrinter::end(const AnyEvent& event) {
    const auto outcome = outcome_of(event);
    if (!outcome) return false;
    close();
    const auto* failed = event.get_if<RunFailedEvent>();
    if (failed) line("Failed", red, failed->step + ": " + failed->error);
    else if (*outcome == Outcome::cancelled) line("Cancelled", red, "the run was cancelled");
    else if (const auto* late = event.get_if<RunTimedOutEvent>()) {
        std::string steps;
        for (const auto& step : late->active_steps) (steps += steps.empty() ? " in " : ", ") += step;
        line("Timed out", red, "the run has passed its deadline" + steps);
    }
    return true;
}
void TracePrinter::observe(const std::string& text, bool ok, const std::string& note) {
    const auto shown = utf8_cut(text, options_.longest_observation);
    std::string all(shown);
    if (shown.size() < text.size()) all += "\n[" + std::to_string(text.size() - shown.size()) + " more bytes]";
    line("Observation", ok ? yellow : red, all, note);
}
void TracePrinter::piece(Part part, std::string_view text) {
    if (text.empty() || (part == Part::answer && !options_.answer)) return;
    if (part != part_) {
        close();
        part_ = part;
        acted_ = acted_ || part == Part::action;
        switch (part) {
        case Part::thought: open("Thought", blue); break;
        case Part::action: open("Action", green); break;
        case Part::input: open("Action Input", grey); break;
        case Part::answer: open("Answer", cyan); break;
        case Part::none: break;
        }
    }
    put(plain_.put(text));
}
void TracePrinter::open(std::string_view label, int colour) {
    std::string text(label);
    text += ':';
    if (options_.colour) text = "\x1B[" + std::to_string(colour) + "m" + text + "\x1B[0m";
    write_(text + ' ');
}
void TracePrinter::close() {
    if (part_ == Part::none) return;
    put(plain_.end());
    write_("\n");
    part_ = Part::none;
}
void TracePrinter::line(std::string_view label, int colour, std::string_view text, std::string_view note) {
    close();
    open(label, colour);
    put(neutralise(text));
    if (!note.empty()) put(neutralise("\nNote: " + std::string(note)));
    write_("\n");
}
void TracePrinter::put(const std::string& safe) {
    std::string text;
    text.reserve(safe.size());
    for (const char c : safe) {
        text += c;
        if (c == '\n') text += "  ";
    }
    if (!text.empty()) write_(text);
}
}
