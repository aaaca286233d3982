// The options of the agents' steps, made from AgentOptions when they are first used. Each file is read once.
//
//     AgentSettings settings(options);
//     const auto& react_options = settings.react();
#pragma once
#include "workflows/catalog/options.hpp"
#include <memory>

namespace weft::agents {
struct ReactOptions;
inline namespace reflect_steps {
struct ReflectOptions;
}
inline namespace native_steps {
struct ToolAgentOptions;
}
}
namespace weft::catalog {
class AgentSettings {
public:
    explicit AgentSettings(AgentOptions);
    ~AgentSettings();
    AgentSettings(const AgentSettings&) = delete;
    const AgentOptions& options() const { return options_; }
    const std::optional<std::string>& template_text();  // throws as template_text() of options.hpp does
    /// The next three throw Error{usage} for contradictory options, and Error{configuration} for an unusable file.
    const agents::ReactOptions& react();
    const agents::ReflectOptions& reflect();
    const agents::ToolAgentOptions& tool_agent();

private:
    const AgentOptions options_;
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};
}
