// What an agent is made of, as text: its arguments, model, tools, template, places and parser, read from the very
// objects that it runs with.
//
//     std::cout << neutralise(describe_agent({"react", dialect, tools, options, model.name()}));
//
// No key is in any of them.
#pragma once
#include "steps/agents/common/options.hpp"
#include "steps/agents/react/dialect.hpp"

namespace weft::agents::inline react_steps {
struct AgentParts {
    std::string_view workflow;
    const Dialect& dialect;
    const tools::Registry& tools;
    const ReactOptions& options;
    std::string model;  // empty: none is chosen yet
};
std::string describe_agent(const AgentParts&);
}
