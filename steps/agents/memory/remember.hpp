// The end of a run that has answered: its question and answer go into the memory.
//
//     auto remembering = remember(ctx, memory, {question, answer});
//     co_await std::move(remembering);
//
// A memory that fails is a WarningEvent, and the answer is given all the same. Only cancellation is thrown.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/warning.hpp"
#include "steps/agents/memory/memory.hpp"
#include <vector>

namespace weft::agents {
struct Lesson {
    std::string run;  // the same run again changes nothing, as with Memory::append
    Exchange exchange;
};
/// The context is the one of the step that has the answer.
awaitable<void> remember(Context&, Memory&, std::vector<Lesson>);
awaitable<void> remember(Context&, Memory&, Exchange);  // of this run
/// The question of the run with this answer, if it is one.
awaitable<void> remember_answer(Context&, Memory&, const AnswerEvent&);
}
