// A dialect with the tools that it shows to a model, for commands that ask none.
#pragma once
#include "steps/agents/react/dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/registry.hpp"
#include "workflows/catalog/setup.hpp"

namespace weft::driver {
class UnaskedDialect {
public:
    /// As the setup's options say. Throws as its react_options() and tools() do.
    explicit UnaskedDialect(catalog::Setup&);
    UnaskedDialect(const UnaskedDialect&) = delete;
    const tools::Registry& tools() const { return tools_; }
    const agents::Dialect& dialect() const { return *dialect_; }

private:
    models::ScriptedModel nobody_{};  // of the tool that asks a model
    const tools::Registry tools_;
    const std::unique_ptr<agents::Dialect> dialect_;
};
}
