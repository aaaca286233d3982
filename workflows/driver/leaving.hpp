// What is said of a run that this process leaves to its store: the commands for a shell that go on with it, from any
// folder.
#pragma once
#include "workflows/catalog/options.hpp"

namespace weft {
class AnyEvent;
class Error;
class JsonRun;
}
namespace weft::driver {
/// weft resume RUN --store FILE, with the whole path of the store.
std::string resume_command(const std::string& store, const std::string& run);
/// weft answer RUN --event EVENT --question ID --json JSON --store FILE, for each event that can answer; the JSON is to
/// be filled in.
std::vector<std::string> answer_commands(const catalog::AgentOptions&, const JsonRun&, const AnyEvent& question);
/// Of a run that has failed, perhaps for a reason that is gone the next time: what begins a new one in front of the
/// step that failed, for a shell, with a line that says so. Empty for other errors, and for a run that is in no store.
std::string commands_after(const Error&, const catalog::AgentOptions&, const std::string& run);
/// After Ctrl-C or SIGTERM.
std::string interrupted_sentence(const catalog::AgentOptions&, const std::string& run);
}
