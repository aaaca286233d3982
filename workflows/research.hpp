// Fan-out and collect: a survey of a database.
//
//     auto survey = research.with(database);                                // in a .cpp file
//     ReportEvent report = run(survey, {.text = "order"});
//
//     plan ==> look, for each table ==> report
//
// The branches read the tables side by side, four at a time; the report has them in the order of the plan.
#pragma once
#include "engine/workflow.hpp"
#include "workflows/research_steps.hpp"

namespace weft::workflows {
// clang-format off
inline constexpr auto research = workflow("research",
    step<plan>,
    step<look>.workers(4),
    step<report>);
// clang-format on
}
