// Mail of a stored run: answers for the run or a child, and cancellations. A tick takes each letter, so it counts once;
// the tick of a letter that fits nothing reports it.
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
void take_mail(RunCore& root, const storage::Mail&);
void take_kept_mail(RunCore& child);   // mail that came before the child was in memory
void refuse_kept_mail(RunCore& root);  // mail for children that have not come back
/// The event of the run's present declaration for this answer. `renames`: in the order in which they were given. The
/// name as it stands comes first, unless only a renamed one answers the question. None: no such event is an answer.
std::optional<TypeIndex> answer_named(const RunCore&, const std::string& name, QuestionId,
                                      std::span<const Renames> renames);
/// The number in the mail. Throws Error{usage} for other JSON.
QuestionId read_question(const nlohmann::json& id);
}
