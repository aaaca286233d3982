// The options of the agents' steps, made from AgentOptions when they are first used. Each file is read once.
//
//     AgentSettings settings(options);
//     const auto& react_options = settings.react();
#pragma once
#include "steps/agents/native/options.hpp"
#include "steps/agents/reflect/options.hpp"
#include "workflows/catalog/options.hpp"
#include <optional>
#include <utility>

namespace weft::catalog {
class AgentSettings {
public:
    explicit AgentSettings(AgentOptions options) : options_(std::move(options)) {}
    AgentSettings(const AgentSettings&) = delete;
    const AgentOptions& options() const { return options_; }
    const std::optional<std::string>& template_text();  // throws as template_text() of options.hpp does
    /// The next three throw Error{usage} for contradictory options, and Error{configuration} for an unusable file.
    const agents::ReactOptions& react();
    const agents::ReflectOptions& reflect();
    const agents::ToolAgentOptions& tool_agent();

private:
    const AgentOptions options_;
    std::optional<std::optional<std::string>> template_text_;
    std::optional<agents::ReactOptions> react_;
    std::optional<agents::ReflectOptions> reflect_;
    std::optional<agents::ToolAgentOptions> tool_agent_;
};
}
