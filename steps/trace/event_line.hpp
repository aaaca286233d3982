// An event of the stream of a react or reflect run as one line of JSON: {"event": "ObservationEvent", "data": {...}}.
//
// All of it is ASCII: other characters are escaped, so that a line is harmless on any terminal and is one line for
// everyone. An event of another workflow has a name and no data.
#pragma once
#include <string>

namespace weft {
class AnyEvent;
}
namespace weft::steps {
std::string event_line(const AnyEvent& event);  // without the line break
}
