// Adds the question and the answer of a run to the memory, at its end.
//
//     auto remembering = remember(ctx, memory, {question, answer});
//     co_await std::move(remembering);
//
// A failure of the memory is a WarningEvent, and the run still gives its answer. Only cancellation is thrown.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/memory/memory.hpp"
#include <vector>

namespace weft::agents {
struct RunExchange {
    std::string run;  // its id, as in Memory::append
    Exchange exchange;
};
/// The context is that of the answering step.
awaitable<void> remember(Context&, Memory&, std::vector<RunExchange>);
awaitable<void> remember(Context&, Memory&, Exchange);  // this run's
/// Remembers the run's question with this answer, if is_answer() holds.
awaitable<void> remember_answer(Context&, Memory&, const AnswerEvent&);
}
