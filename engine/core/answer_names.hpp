// Finds the present name of an answer that was put into the mail of a stored run under a former declaration.
#pragma once
#include "engine/core/carry.hpp"
#include "engine/core/loop/run_core.hpp"
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

namespace weft::core {
/// Among the events of the run's declaration. `renames`: in the order in which they were given. The name as it stands
/// comes first, unless only a renamed one answers the question. None: no event of such a name answers anything.
std::optional<TypeIndex> answer_named(const RunCore&, const std::string& name, QuestionId,
                                      std::span<const Renames> renames);
/// The number in the mail. Throws Error{usage} for what is none.
QuestionId read_question(const nlohmann::json& id);
}
