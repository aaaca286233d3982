// What is said of a run that this process leaves to its store: the commands for a shell that go on with it, from any
// folder.
#pragma once
#include "workflows/catalog/options.hpp"

namespace weft {
class AnyEvent;
class JsonRun;
}
namespace weft::driver {
/// weft resume RUN --store FILE, with the whole path of the store.
std::string resume_command(const std::string& store, const std::string& run);
/// weft answer RUN --event EVENT --question ID --json JSON --store FILE, for each event that can answer; the JSON is to
/// be filled in.
std::vector<std::string> answer_commands(const catalog::AgentOptions&, const JsonRun&, const AnyEvent& question);
/// After Ctrl-C or SIGTERM.
std::string interrupted_sentence(const catalog::AgentOptions&, const std::string& run);
}
