// A dialect with the tools that it shows to a model, for commands that call no model.
#pragma once
#include "steps/agents/react/dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/registry.hpp"
#include "workflows/catalog/run_resources.hpp"

namespace weft::driver {
class PreviewDialect {
public:
    /// Follows the options. Throws as react_options() and the tools() of the process do.
    explicit PreviewDialect(catalog::RunResources&);
    PreviewDialect(const PreviewDialect&) = delete;
    const tools::Registry& tools() const { return tools_; }
    const agents::Dialect& dialect() const { return *dialect_; }

private:
    models::ScriptedModel nobody_{};  // for the tool that asks a model
    const tools::Registry tools_;
    const std::unique_ptr<agents::Dialect> dialect_;
};
}
