// Finds open questions of a run.
#pragma once
#include "engine/core/machine/state.hpp"
#include <vector>

namespace weft::core {
/// The question that this response answers: by its id, else the oldest that fits; none if no question fits.
Handle answered_question(const Plan&, const State&, TypeIndex response, QuestionId);
/// Open questions, oldest first, at most `most`.
std::vector<Handle> open_questions(const Plan&, const State&, std::size_t most);
/// The id of a question, from its token and serial number.
constexpr QuestionId question_id(Handle token, std::uint32_t serial) {
    return QuestionId(std::uint64_t(serial) << 32 | token);
}
}
