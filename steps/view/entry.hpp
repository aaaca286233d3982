// The stream of a run as a list of plain entries, independent of colours, HTML and line widths.
//
//     Trace trace(question);                               // steps/view/trace.hpp fills the list
//     while (auto event = co_await run.next_event()) trace.on(*event);
//     for (const auto& entry : trace.entries()) ...
// Texts of models and tools are unchanged: neutralise them before display (steps/view/neutralise.hpp).
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
    /// The tool of an action, its progress or observation; the kind of an error or a poor answer; the name of an event;
    /// "past" for a summary of earlier messages.
    std::string label;
    std::string text;  // an action's arguments; an event's data as JSON, or the reason why it has none
    bool ok = true;
    double seconds = 0;                          // since the start of the run
    models::Usage usage;                         // tokens of the reply behind this entry; each reply counts once
    int step = 0;                                // number of the model's turn, from 1
    std::optional<tools::Display> display = {};  // an observation's, for the human
};
BOOST_DESCRIBE_STRUCT(TraceEntry, (), (kind, sub_question, label, text, ok, seconds, usage, step, display))
}
