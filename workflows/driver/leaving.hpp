// What is said of a run that this process leaves to its store: the commands for a shell that go on with it.
#pragma once
#include "workflows/catalog/options.hpp"

namespace weft {
class Error;
class Store;
enum class QuestionId : std::uint64_t;
}
namespace weft::driver {
/// Whether the run's inbox has a cancel, or an answer to this question, that the engine has still to take. False if the
/// store does not say.
bool has_mail(Store&, const std::string& run, QuestionId);
/// Whether the store has it as cancelled.
bool was_cancelled(const catalog::AgentOptions&, const std::string& run);
/// Those that answer its open questions, and that go on with it, in lines. What a damaged store does not tell is left
/// out.
std::string commands_for(const catalog::AgentOptions&, const std::string& run);
/// What goes on with a run of this store, with the options that a store does not decide.
std::string resume_command_of(Store&, const std::string& run, const std::string& file);
/// Of a run that has failed, perhaps for a reason that is gone the next time: what begins a new one in front of the
/// step that failed, for a shell, with a line that says so. Empty for other errors, and for a run that is in no store.
std::string commands_after(const Error&, const catalog::AgentOptions&, const std::string& run);
/// After Ctrl-C or SIGTERM.
std::string interrupted_sentence(const catalog::AgentOptions&, const std::string& run);
}
