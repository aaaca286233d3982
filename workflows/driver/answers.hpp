// Asks a workflow's question on standard input: a human at a terminal is asked field by field, a program writes one
// JSON object in a line.
#pragma once

namespace weft {
class AnyEvent;
class JsonRun;
}
namespace weft::driver {
class Lines;
/// Throws Error{usage} or Error{bad_json} for an answer that is none - on a terminal it asks again instead - and
/// Error{idle} if there is no input left.
void answer(JsonRun&, const AnyEvent& question, Lines&);
}
