// Mail of a stored run: answers for the run or a child, and cancellations. Exactly one record takes each mail, so it
// counts once. A record also refuses mail without a matching question, and the run reports it as unhandled.
#pragma once
#include "engine/core/carry.hpp"
#include "engine/core/loop/run_core.hpp"
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

namespace weft::storage {
struct Mail;
}
namespace weft::core {
/// Returns false if the run takes the mail later: it is about to begin again.
bool take_mail(RunCore& root, const storage::Mail&);
void take_kept_mail(RunCore& child);   // mail from before the child was in memory
void refuse_kept_mail(RunCore& root);  // mail for children that are not in memory
/// The answer's event type in the run's present declaration; empty: no answer has this name. `renames`: oldest first.
/// The name itself has priority, unless only a renamed event answers the question.
std::optional<TypeIndex> answer_named(const RunCore&, const std::string& name, QuestionId,
                                      std::span<const Renames> renames);
/// The number in the mail. Throws Error{usage} for other JSON.
QuestionId read_question(const nlohmann::json& id);
}
