// The parts of an agent as text: its options, model, tools, prompt template and its places, and parser, read from the
// objects that it runs with.
//
//     std::cout << neutralise(describe_agent({"react", dialect, tools, options, model.name()}));
//
// The text has no keys.
#pragma once
#include "steps/agents/common/options.hpp"
#include "steps/agents/react/dialect.hpp"

namespace weft::agents::inline react_steps {
struct AgentParts {
    std::string_view workflow;
    const Dialect& dialect;
    const tools::Registry& tools;
    const ReactOptions& options;
    std::string model;  // empty: not chosen yet
};
std::string describe_agent(const AgentParts&);
}
