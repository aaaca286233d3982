// The stream of a run as a list of plain entries, independent of colours, HTML and line widths.
//
//     Trace trace(question);                               // steps/view/trace.hpp fills the list
//     while (auto event = co_await run.next_event()) trace.on(*event);
//     for (const auto& entry : trace.entries()) ...
// Texts of models and tools are unchanged: code that shows them has to neutralise them (steps/view/neutralise.hpp).
#pragma once
#include "engine/describe.hpp"
#include "steps/models/chat_model.hpp"
#include "tools/observation.hpp"
#include <string>

namespace weft::view {
enum class TraceKind {
    question,
    reflection,
    thought,
    reasoning,
    action,
    progress,
    observation,
    error,
    sub_question,
    summary,
    answer,
    event
};
BOOST_DESCRIBE_ENUM(TraceKind, question, reflection, thought, reasoning, action, progress, observation, error,
                    sub_question, summary, answer, event)

struct TraceEntry {
    TraceKind kind = TraceKind::question;
    int sub_question = 0;  // 0: the main run; n: the n-th sub-question
    /// Of an action, its progress or observation, the tool; of an error or a poor answer, what kind of; of an event,
    /// its name; of a summary of what came before, "past".
    std::string label;
    std::string text;  // of an action, its arguments; of an event, its data as JSON, or why it has none
    bool ok = true;
    double seconds = 0;   // since the run began
    models::Usage usage;  // of the reply of the model that this entry comes from; a reply is counted once
    int step = 0;         // the turn of the model that it belongs to, from 1
    std::optional<tools::Display> display = {};  // of an observation: for the human
};
BOOST_DESCRIBE_STRUCT(TraceEntry, (), (kind, sub_question, label, text, ok, seconds, usage, step, display))
}
