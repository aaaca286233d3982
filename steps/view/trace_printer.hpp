// Writes the trace of a run as text, while the run proceeds: thoughts, actions, observations and errors of react;
// entries of reflect (steps/view/entry_text.hpp); events of any other workflow with their data. Lines are only added,
// never rewritten, so the output is the same on a terminal, in a pipe and in a file.
//
//     TracePrinter trace([](std::string_view text) { std::cerr << text; }, {.colour = true});
//     while (auto event = co_await run.next_event()) trace.on(*event);
//
// Text of models and tools is neutralised, and its further lines are indented: it cannot look like a label of the
// trace, or command the terminal. Every call writes whole characters; the end of the run adds a line break.
#pragma once
#include "steps/view/entry_text.hpp"
#include "steps/view/event_entries.hpp"
#include "steps/view/stream_text.hpp"
#include <functional>
#include <optional>
#include <set>

namespace weft {
class AnyEvent;
}
namespace weft::agents {
inline namespace reflect_steps {
struct ReflectionDeltaEvent;
struct ReflectionEvent;
}
struct TurnEvent;
struct ToolProgressEvent;
struct ReasoningEvent;
}
namespace weft::view {
/// The contents and the look of a trace.
struct TraceOptions {
    bool colour = false;
    bool answer = false;                        // true: shows the answer; false: the caller shows it
    bool steps = false;                         // gives each turn of react a numbered heading and a final rule
    std::size_t longest_observation = 4 << 10;  // bytes, also of an event's data; a mark counts the rest
};

class TracePrinter {
public:
    using Write = std::function<void(std::string_view)>;  // takes the next piece of the trace, safe for a terminal
    explicit TracePrinter(Write write, TraceOptions options = {}) : write_(std::move(write)), options_(options) {}
    void on(const AnyEvent&);

private:
    enum class PrintedPart { none, thought, reply, action, input, answer };
    void piece(PrintedPart, std::string_view text);
    void open(std::string_view label, Colour);
    void close();
    void line(std::string_view label, Colour, std::string_view text, std::string_view note = {});
    void put(const std::string& safe);
    void begin_turn(const agents::TurnEvent&);
    void end_turn();
    bool talk(const AnyEvent&);
    bool act(const AnyEvent&);
    bool reflect(const AnyEvent&);
    void piece_of_reflection(const agents::ReflectionDeltaEvent&);
    bool shown_already(const agents::ReflectionEvent&);
    void speak_of(int sub_question);
    void tell_progress(const agents::ToolProgressEvent&);
    void tell_reasoning(const agents::ReasoningEvent&);
    bool end(const AnyEvent&);
    bool other(const AnyEvent&);
    EntryLook look() const { return {.colour = options_.colour, .longest_observation = options_.longest_observation}; }

    Write write_;
    TraceOptions options_;
    Neutraliser plain_;
    PrintedPart part_ = PrintedPart::none;
    bool acted_ = false;    // this turn's action was shown
    bool replied_ = false;  // this turn's reply was shown
    bool headed_ = false;   // the turn has a heading, and needs a final rule
    bool reflects_ = false;
    int sub_question_ = 0;              // the last entry's
    std::optional<StreamText> stream_;  // the reflection in progress
    std::set<int> missed_;  // sub-questions with a partly shown reflection, which is shown again when complete
};
}
