// The dialects of the react workflow, by name.
//
//     const auto dialect = make_dialect("pause", tools);               // the registry must outlive it
//     auto agent = react.with(model, *dialect, memory, tools, options);
#pragma once
#include "steps/agents/react/dialect.hpp"
#include <optional>

namespace weft::catalog {
const std::vector<std::string_view>& dialect_names();
/// Throws Error{usage}, which lists all names.
void check_dialect(std::string_view name);
/// Throws as check_dialect and the dialect's constructor do. The default template is the dialect's own.
std::unique_ptr<agents::Dialect> make_dialect(std::string_view name, const tools::Registry&,
                                              const std::optional<std::string>& template_text = {});
/// Defaults of one dialect.
struct DialectHabits {
    std::optional<int> max_steps;  // empty: the default of steps/agents/common/options.hpp
    bool numbers_steps = false;    // true if the trace numbers steps, as the prompts do
};
const DialectHabits& habits_of(std::string_view dialect);  // throws as check_dialect does
/// The tools under the names that the dialect's prompts use, and the tools that it adds. With `fallback`,
/// `function-call` adds llm_tool, which asks the model itself. The model must outlive the registry.
tools::Registry tools_for(std::string_view dialect, const tools::Registry&, models::ChatModel&, const models::Sampling&,
                          bool fallback = true);
}
