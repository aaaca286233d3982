// Messages about a run that this process leaves in its store, with the shell commands that continue it.
#pragma once
#include "workflows/catalog/options.hpp"

namespace weft {
class Error;
class Store;
enum class QuestionId : std::uint64_t;
}
namespace weft::driver {
/// Whether the run's mailbox has a cancellation, or an answer to this question, that the engine has not taken yet.
/// False if the store cannot be read.
bool has_mail(Store&, const std::string& run, QuestionId);
/// Whether the store has the run as cancelled.
bool was_cancelled(const catalog::AgentOptions&, const std::string& run);
/// Lines of commands that answer the run's open questions and resume it. Omits those that need damaged parts of the
/// store.
std::string commands_for(const catalog::AgentOptions&, const std::string& run);
/// The command that resumes a run of this store, with the options that the store does not keep.
std::string resume_command_of(Store&, const std::string& run, const std::string& file);
/// For a failed run: a shell command that makes a new run from before the failed step, after a line of explanation.
/// Empty for other errors, and for a run without a store.
std::string commands_after(const Error&, const catalog::AgentOptions&, const std::string& run);
/// After Ctrl-C or SIGTERM.
std::string interrupted_sentence(const catalog::AgentOptions&, const std::string& run);
}
