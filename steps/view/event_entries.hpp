// What one event of a stream says, as entries of a trace (steps/view/entry.hpp): without times, turns and, for events
// that end a run, without the tokens of the last turn. Deltas make no entries, because their whole text comes later.
#pragma once
#include "steps/view/entry.hpp"
#include <vector>

namespace weft {
class AnyEvent;
struct RunProgressEvent;
}
namespace weft::agents {
struct CallNoteEvent;
struct ToolProgressEvent;
}
namespace weft::view {
using TraceEntries = std::vector<TraceEntry>;

/// A retry, wait or other note on a request, as a sentence.
std::string note_sentence(const agents::CallNoteEvent&);
std::string progress_sentence(const agents::ToolProgressEvent&);  // "3 of 10: parts of the file"
std::string progress_sentence(const RunProgressEvent&);           // "3 of 8 branches"
TraceEntries react_entries(const AnyEvent&);    // of the react workflow, in any dialect, and of tool_agent
TraceEntries reflect_entries(const AnyEvent&);  // of the reflect workflow
TraceEntries ending_entries(const AnyEvent&);   // how a run of either has ended
TraceEntries other_entries(const AnyEvent&);    // of any other workflow: the event with its data
}
