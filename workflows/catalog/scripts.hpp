// The built-in scripts, which show an agent without a model: workflows/catalog/scripts/*.json.
//
//     models::ScriptedModel model(bundled_script("sales"));
//     for (const auto& script : bundled_scripts()) std::cout << script.name << ": " << script.question << '\n';
#pragma once
#include "steps/models/script/scripted.hpp"

namespace weft::catalog {
/// All scripts, sorted by name.
const std::vector<models::Script>& bundled_scripts();
/// Throws Error{usage}, which lists all names.
const models::Script& bundled_script(std::string_view name);
/// The script after `script:` in a model's name: a bundled one, or a file, whose path has a slash.
models::Script find_script(const std::string& name);
}
