// Finds the present name of an answer in a stored run's mail, which may use a former declaration's name.
#pragma once
#include "engine/core/carry.hpp"
#include "engine/core/loop/run_core.hpp"
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

namespace weft::core {
/// Searches the events of the run's declaration. `renames`: in chronological order. The literal name comes first,
/// unless only a renamed event answers the question. Empty: no such event answers anything.
std::optional<TypeIndex> answer_named(const RunCore&, const std::string& name, QuestionId,
                                      std::span<const Renames> renames);
/// The question's id in the mail. Throws Error{usage} if it is invalid.
QuestionId read_question(const nlohmann::json& id);
}
