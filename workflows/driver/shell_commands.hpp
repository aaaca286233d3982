// Commands about a stored run, to be pasted into a shell in any folder.
#pragma once
#include <string>
#include <vector>

namespace weft::catalog {
class AnswerTypes;
struct ListedQuestion;
}
namespace weft::driver {
/// weft VERB RUN MORE --store FILE, in one line and without control characters, whatever the store holds.
std::string shell_command(const std::string& verb, const std::string& run, const std::string& more,
                          const std::string& store);
std::string resume_command(const std::string& run, const std::string& store, const std::string& more = {});
/// weft answer RUN --event EVENT --question ID --json JSON --store FILE, for each event that can answer. The user fills
/// in the JSON, and EVENT if the catalogue does not have the workflow.
std::vector<std::string> answer_commands(const std::string& run, const std::string& store,
                                         const catalog::ListedQuestion&, const catalog::AnswerTypes&);
}
