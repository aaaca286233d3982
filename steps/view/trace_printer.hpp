// The trace of a run as text, while it happens: of react its thoughts, actions, observations, what went wrong, and of
// reflect its entries (steps/view/entry_text.hpp); of any other workflow its events with their data. Lines are only
// added, never rewritten, so the output is the same on a terminal, in a pipe and in a file.
//
//     TracePrinter trace([](std::string_view text) { std::cerr << text; }, {.colour = true});
//     while (auto event = co_await run.next_event()) trace.on(*event);
//
// Text of models and tools is neutralised, and its further lines are indented: nothing in them can look like a label of
// the trace or reach the terminal as a command. Every call writes whole characters, and the end of the run a line
// break.
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
struct ReflectionDeltaEvent;
struct ReflectionEvent;
struct TurnEvent;
struct ToolProgressEvent;
struct ReasoningEvent;
}
namespace weft::view {
struct TraceOptions {
    bool colour = false;
    bool answer = false;                        // show the answer too; else the caller shows it
    bool steps = false;                         // head every turn of react with its number, and close it with a line
    std::size_t longest_observation = 4 << 10;  // bytes, also of an event's data; what is left out is counted
};

class TracePrinter {
public:
    using Write = std::function<void(std::string_view)>;
    explicit TracePrinter(Write write, TraceOptions options = {}) : write_(std::move(write)), options_(options) {}
    void on(const AnyEvent&);

private:
    enum class Part { none, thought, reply, action, input, answer };
    void piece(Part, std::string_view text);
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

    Write write_;
    TraceOptions options_;
    Neutraliser plain_;
    Part part_ = Part::none;
    bool acted_ = false;    // the action of this turn has been shown
    bool replied_ = false;  // the text of this turn's reply has been shown
    bool headed_ = false;   // the turn has a heading, and wants a line below
    bool reflects_ = false;
    int sub_question_ = 0;              // that the last entry belongs to
    std::optional<StreamText> stream_;  // of the reflection that is being written
    std::set<int> missed_;  // sub-questions whose reflection was not fully shown: it is shown when it is complete
};
}
