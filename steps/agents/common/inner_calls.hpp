// The arguments of a call and of those among them, while their results come in: for steps/agents/common/call_tool.cpp.
#pragma once
#include "steps/agents/common/events.hpp"
#include "tools/registry.hpp"
#include <nlohmann/json.hpp>

namespace weft::agents {
class InnerCalls {
public:
    InnerCalls(const ToolCallEvent&, const tools::Registry&);
    /// Empty if they hang together and are not too many: else a sentence. Nothing else may be asked then.
    const std::string& mistake() const { return mistake_; }
    /// With the results that have come so far. The number after the last is the outermost call's.
    std::string arguments(std::size_t call) const { return arguments_[call].dump(); }
    /// Puts the result of a call where it belongs: as text where a text is wanted, else as the JSON value that it says.
    void take(std::size_t call, const std::string& result);

private:
    void check();
    const ToolCallEvent& call_;
    const tools::Registry& tools_;
    std::vector<nlohmann::json> arguments_;
    std::string mistake_;
};
}
