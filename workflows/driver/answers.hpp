// A workflow's question, put to whoever is at standard input: a human at a terminal is asked field by field, a program
// writes one JSON object in a line.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace weft {
class AnyEvent;
namespace workflows {
struct Entry;
class JsonRun;
}
}
namespace weft::driver {
class Lines;
/// Throws Error{usage} or Error{bad_json} for an answer that is none - on a terminal it asks again instead - and
/// Error{idle} if there is no input left.
void answer(const workflows::Entry&, workflows::JsonRun&, const AnyEvent& event, const nlohmann::json& question,
            Lines&);
}
