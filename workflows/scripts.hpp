// The scripts that are built in, so that an agent can be seen at work without a model: workflows/scripts/*.json.
//
//     llm::ScriptedModel model(bundled_script("sales"));
//     for (const auto& script : bundled_scripts()) std::cout << script.name << ": " << script.question << '\n';
#pragma once
#include "steps/llm/scripted.hpp"

namespace weft::workflows {
/// By name.
const std::vector<llm::Script>& bundled_scripts();
/// Throws Error{usage} that lists the names there are.
const llm::Script& bundled_script(std::string_view name);
}
