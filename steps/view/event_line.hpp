// Writes an event of any workflow as one line of JSON: {"event": "ObservationEvent", "data": {...}}. The line is ASCII
// with escapes, so it is harmless on any terminal and never broken in two. An event whose type is not described has a
// sentence in place of its data: {"event": "OrderEvent", "no_data": "OrderEvent has no JSON form: describe it with
// ..."}. An event of a child run also has the id of that run and the path to it (AnyEvent::path): "run":
// "claims:7/3.0.1.0", "path": "settle".
#pragma once
#include <string>

namespace weft {
class AnyEvent;
}
namespace weft::view {
std::string event_line(const AnyEvent& event);  // without the line break
}
