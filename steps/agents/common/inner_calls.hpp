// The arguments of a call and of its inner calls, while their results arrive: for steps/agents/common/call_tool.cpp.
#pragma once
#include "steps/agents/common/events.hpp"
#include "tools/registry.hpp"
#include <nlohmann/json.hpp>

namespace weft::agents {
class InnerCalls {
public:
    InnerCalls(const ToolCallEvent&, const tools::Registry&);
    /// The fault of the calls, such as a result without a receiver; empty if there is none. After a fault, the other
    /// functions must not be called.
    const std::string& mistake() const { return mistake_; }
    /// The arguments with the results so far. The index after the last inner call is the outermost call.
    std::string arguments(std::size_t call) const { return arguments_[call].dump(); }
    /// Puts the result of a call into its receiver: as text where the schema wants a string, else as the JSON value in
    /// it, if it is JSON.
    void take(std::size_t call, const std::string& result);

private:
    void check();
    const ToolCallEvent& call_;
    const tools::Registry& tools_;
    std::vector<nlohmann::json> arguments_;
    std::string mistake_;
};
}
