// Open questions of a run: which one an answer belongs to.
#pragma once
#include "engine/core/machine/state.hpp"
#include <vector>

namespace weft::core {
/// The question that this response would answer: by its id, or the oldest that it fits; none if there is none.
Handle answered_question(const Plan&, const State&, TypeIndex response, QuestionId);
/// Questions that are open, oldest first, `most` at the most.
std::vector<Handle> open_questions(const Plan&, const State&, std::size_t most);
/// Of a question, by its token and serial number.
constexpr QuestionId question_id(Handle token, std::uint32_t serial) {
    return QuestionId(std::uint64_t(serial) << 32 | token);
}
}
