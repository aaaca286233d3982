// Turns one event of a stream into entries of a trace (steps/view/entry.hpp): without times, turns and, at the end of a
// run, the tokens of the last turn. Deltas make no entries, because their whole text comes later.
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

/// Returns a sentence about a retry, a wait or another note on a request.
std::string note_sentence(const agents::CallNoteEvent&);
std::string progress_sentence(const agents::ToolProgressEvent&);  // "3 of 10: parts of the file"
std::string progress_sentence(const RunProgressEvent&);           // "3 of 8 branches"
TraceEntries react_entries(const AnyEvent&);    // events of the react workflow, in any dialect, and of tool_agent
TraceEntries reflect_entries(const AnyEvent&);  // events of the reflect workflow
TraceEntries ending_entries(const AnyEvent&);   // the end of a run of either
TraceEntries other_entries(const AnyEvent&);    // events of any other workflow, with their data
}
