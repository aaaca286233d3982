// Describes agents' events in words, and events of other workflows by their names. Omits values of events: they may be
// long, and the result has the important ones.
#include "workflows/mcp/run_progress.hpp"
#include "engine/any_event.hpp"
#include "engine/ending.hpp"
#include "engine/terminal.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/view/event_entries.hpp"
#include "workflows/mcp/form.hpp"

namespace weft::mcp_server {
std::string progress_text(const AnyEvent& event) {
    if (event.type().is_stop || ending_of(event) || event.name().ends_with("DeltaEvent")) return {};
    if (event.get_if<RunIdleEvent>() || event.get_if<RunResumedEvent>() || event.get_if<UnhandledEvent>()) return {};
    if (const auto* turn = event.get_if<agents::TurnEvent>())
        return turn->step > 0 ? "turn " + std::to_string(turn->step) : "the last turn";
    if (const auto* action = event.get_if<agents::ActionEvent>()) return "calls " + action->tool;
    if (const auto* seen = event.get_if<agents::ObservationEvent>())
        return seen->tool + (seen->ok ? " has answered" : " has failed");
    if (const auto* told = event.get_if<agents::ToolProgressEvent>())
        return told->tool + ": " + view::progress_sentence(*told);
    if (event.get_if<agents::FaultEvent>()) return "a reply could not be followed";
    if (const auto* note = event.get_if<agents::CallNoteEvent>()) return note->kind + ": " + note->text;
    return words_of(event.name());
}
}
