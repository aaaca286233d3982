// Pieces come before the event that repeats them: the event is skipped, unless the model did not stream.
#include "steps/view/trace_printer.hpp"
#include "engine/run.hpp"
#include "engine/text/hanging_indent.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/outcome.hpp"
#include "steps/agents/reflect/events.hpp"

namespace weft::view {
void TracePrinter::on(const AnyEvent& event) {
    talk(event) || act(event) || reflect(event) || end(event) || other(event);
}

bool TracePrinter::talk(const AnyEvent& event) {
    if (const auto* turn = event.get_if<agents::TurnEvent>()) begin_turn(*turn);
    else if (const auto* thought = event.get_if<agents::ThoughtDeltaEvent>())
        piece(PrintedPart::thought, thought->text);
    else if (const auto* action = event.get_if<agents::ActionDeltaEvent>()) piece(PrintedPart::action, action->text);
    else if (const auto* input = event.get_if<agents::ActionInputDeltaEvent>()) piece(PrintedPart::input, input->text);
    else if (const auto* reply = event.get_if<agents::ReplyDeltaEvent>()) piece(PrintedPart::reply, reply->text);
    else if (const auto* answer = event.get_if<agents::AnswerDeltaEvent>()) piece(PrintedPart::answer, answer->text);
    else return false;
    return true;
}
bool TracePrinter::act(const AnyEvent& event) {
    if (const auto* action = event.get_if<agents::ActionEvent>()) {
        if (!acted_) {
            if (!replied_) piece(PrintedPart::thought, action->thought);
            close();  // each of several actions has its own lines
            piece(PrintedPart::action, action->tool);
            piece(PrintedPart::input, action->arguments.text);
        }
        close();
        acted_ = false;
        if (!action->note.empty()) line("Note", Colour::red, action->note);
    } else if (const auto* seen = event.get_if<agents::ObservationEvent>())
        line("Observation", seen->ok ? Colour::yellow : Colour::red,
             shown_observation(seen->text, seen->display, options_.longest_observation), seen->note);
    else if (const auto* progress = event.get_if<agents::ToolProgressEvent>()) tell_progress(*progress);
    else if (const auto* reasoning = event.get_if<agents::ReasoningEvent>()) tell_reasoning(*reasoning);
    else if (const auto* fault = event.get_if<agents::FaultEvent>())
        line("Error", Colour::red, "the model is told of a fault in its reply: " + fault->error);
    else if (const auto* past = event.get_if<agents::PastSummaryEvent>()) line("Summary", Colour::cyan, past->text);
    else if (const auto* warning = event.get_if<agents::WarningEvent>()) line("Warning", Colour::red, warning->text);
    else if (const auto* note = event.get_if<agents::CallNoteEvent>())
        line("Model", note->kind == "cached" ? Colour::grey : Colour::red, note_sentence(*note));
    else return false;
    return true;
}
void TracePrinter::tell_progress(const agents::ToolProgressEvent& event) {
    const auto sentence = event.tool + ": " + progress_sentence(event);
    if (!reflects_) return line("Progress", Colour::grey, sentence);
    close();
    write_(entry_text({.kind = TraceKind::progress, .text = sentence}, look()));
}
/// In the trace of a conversation the pieces were shown as they came.
void TracePrinter::tell_reasoning(const agents::ReasoningEvent& event) {
    if (!reflects_) return;
    close();
    write_(entry_text({.kind = TraceKind::reasoning, .text = event.text}, look()));
}
bool TracePrinter::reflect(const AnyEvent& event) {
    if (const auto* delta = event.get_if<agents::ReflectionDeltaEvent>()) piece_of_reflection(*delta);
    if (const auto* whole = event.get_if<agents::ReflectionEvent>(); whole && shown_already(*whole)) return true;
    const auto entries = reflect_entries(event);
    for (const auto& entry : entries) {
        close();
        if (entry.kind != TraceKind::sub_question) speak_of(entry.sub_question);
        sub_question_ = entry.sub_question;
        reflects_ = true;
        write_(entry_text(entry, look()));
    }
    return !entries.empty() || event.get_if<agents::ReflectionDeltaEvent>();
}
/// Names the sub-question of the next entry, if several run in parallel.
void TracePrinter::speak_of(int sub_question) {
    if (sub_question == 0 || sub_question == sub_question_) return;
    write_(entry_text({.kind = TraceKind::sub_question, .sub_question = sub_question, .text = "(goes on)"}, look()));
}
/// Shows the pieces of one reflection at a time.
void TracePrinter::piece_of_reflection(const agents::ReflectionDeltaEvent& delta) {
    reflects_ = true;
    if (missed_.count(delta.sub_question)) return;
    if (stream_ && stream_->sub_question() != delta.sub_question) {
        missed_.insert(delta.sub_question);
        return;
    }
    if (!stream_) {
        close();
        speak_of(delta.sub_question);
        sub_question_ = delta.sub_question;
        write_(stream_.emplace(delta.sub_question).begin("REFLECTION", Colour::blue, options_.colour));
    }
    if (const auto text = stream_->put(delta.text); !text.empty()) write_(text);
}
bool TracePrinter::shown_already(const agents::ReflectionEvent& whole) {
    missed_.erase(whole.sub_question);
    if (!stream_ || stream_->sub_question() != whole.sub_question) return false;
    const bool all = stream_->told() == whole.text;
    write_(stream_->end());
    stream_.reset();
    return all;
}
bool TracePrinter::end(const AnyEvent& event) {
    if (!agents::outcome_of(event)) return false;
    close();
    end_turn();
    for (const auto& entry : ending_entries(event)) {
        if (entry.kind == TraceKind::answer && reflects_ && options_.answer) write_(entry_text(entry, look()));
        if (entry.kind != TraceKind::error) continue;
        auto label = entry.label;
        label[0] = static_cast<char>(label[0] - 'a' + 'A');
        if (reflects_) write_(entry_text(entry, look()));
        else line(label, Colour::red, entry.text);
    }
    return true;
}
/// Shows an event of any other workflow. A stop event is the run's result, which the caller shows.
bool TracePrinter::other(const AnyEvent& event) {
    if (event.type().is_stop) return false;
    for (const auto& entry : other_entries(event)) {
        close();
        if (reflects_) write_(entry_text(entry, look()));
        else
            line("Event", entry.ok ? Colour::grey : Colour::red,
                 entry.label + ": " + shortened(entry.text, options_.longest_observation));
    }
    return true;
}
void TracePrinter::begin_turn(const agents::TurnEvent& turn) {
    close();
    end_turn();
    acted_ = replied_ = false;
    const int step = turn.step;
    if (!step) {
        const auto why = turn.why == "repeated_calls" ? std::string("the model has repeated a call too often")
                         : turn.why.empty() || turn.why == "steps" ? std::string("no steps are left")
                                                                   : "little is left of the budget (" + turn.why + ")";
        line("Limit", Colour::red, why + "; the model is asked for its best answer");
    }
    if (!options_.steps) return;
    write_(step ? "Step " + std::to_string(step) + ".\n" : std::string("Last step.\n"));
    headed_ = true;
}
void TracePrinter::end_turn() {
    if (headed_) write_(std::string(40, '-') + '\n');
    headed_ = false;
}
void TracePrinter::piece(PrintedPart part, std::string_view text) {
    if (text.empty() || (part == PrintedPart::answer && !options_.answer)) return;
    if (part != part_) {
        close();
        part_ = part;
        acted_ = acted_ || part == PrintedPart::action;
        replied_ = replied_ || part == PrintedPart::reply;
        switch (part) {
        case PrintedPart::thought: open("Thought", Colour::blue); break;
        case PrintedPart::reply: open("Reply", Colour::blue); break;
        case PrintedPart::action: open("Action", Colour::green); break;
        case PrintedPart::input: open("Action Input", Colour::grey); break;
        case PrintedPart::answer: open("Answer", Colour::cyan); break;
        case PrintedPart::none: break;
        }
    }
    put(plain_.put(text));
}
void TracePrinter::open(std::string_view label, Colour colour) {
    write_(coloured(std::string(label) + ':', colour, options_.colour) + ' ');
}
void TracePrinter::close() {
    if (stream_) {  // another entry comes in between
        missed_.insert(stream_->sub_question());
        write_(stream_->end());
        stream_.reset();
    }
    if (part_ == PrintedPart::none) return;
    put(plain_.end());
    write_("\n");
    part_ = PrintedPart::none;
}
void TracePrinter::line(std::string_view label, Colour colour, std::string_view text, std::string_view note) {
    close();
    open(label, colour);
    put(neutralise(text));
    if (!note.empty()) put(neutralise("\nNote: " + std::string(note)));
    write_("\n");
}
void TracePrinter::put(const std::string& safe) {
    if (!safe.empty()) write_(with_margin(safe, "  "));
}
}
