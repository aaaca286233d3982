// Asks a workflow's question on standard input: a human at a terminal is asked field by field, a program writes one
// JSON object in a line.
#pragma once

#include <vector>

namespace weft {
class AnyEvent;
class JsonRun;
namespace core {
struct EventType;
}
}
namespace weft::driver {
class Lines;
/// The workflow's events that can answer it.
std::vector<const core::EventType*> answers_to(const JsonRun&, const AnyEvent& question);
/// Throws Error{usage} or Error{bad_json} for an answer that is none - on a terminal it asks again instead - and
/// Error{idle} if there is no input left.
void answer(JsonRun&, const AnyEvent& question, Lines&);
}
