// A tool is something that an agent can call: a name, a description, the JSON Schema of its arguments, and a function.
// See tools/make_tool.hpp to make one from a plain function, tools/observation.hpp for what it gives,
// tools/tool_context.hpp for what it may know and tell while it runs, and tools/registry.hpp for the tools of an agent.
#pragma once
#include "engine/awaitable.hpp"
#include "tools/observation.hpp"
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>

namespace weft::tools {
class ToolContext;  // tools/tool_context.hpp

/// Thrown by a tool's function that cannot do what it was asked: a sentence for the model.
struct ToolError : std::runtime_error {
    using runtime_error::runtime_error;
};

class Tool {
public:
    virtual ~Tool() = default;
    virtual const std::string& name() const = 0;
    virtual const std::string& description() const = 0;
    virtual const nlohmann::json& schema() const = 0;  // of the arguments: always an object's
    /// What the arguments are validated by, if that is less than what the model is shown: whoever runs the tool
    /// validates the rest.
    virtual const nlohmann::json& checked_schema() const { return schema(); }
    /// The arguments' names in the order of their declaration, which a schema does not keep: for callers that give
    /// values without names. By default: the required ones of the schema, then the rest.
    virtual std::vector<std::string> parameters() const;
    /// Whether it may run at the same time as other calls of one reply, because it changes nothing that they see.
    /// Declared by tools/parallel.hpp.
    virtual bool is_parallel() const { return false; }
    /// Whether somebody has to approve a call with these arguments, which fit the schema, before it runs. Declared by
    /// tools/needs_approval.hpp. If it throws, the answer is yes.
    virtual bool needs_approval(const nlohmann::json&) const { return false; }
    /// Whether a call with these arguments, which fit the schema, changes anything: then it needs a permission
    /// (tools/permission.hpp). Declared by tools/changing.hpp. If it throws, the answer is yes.
    virtual bool changes(const nlohmann::json&) const { return false; }
    /// Of a tool that somebody else describes while the program runs: another text with each description that it has
    /// had. Empty: it is described once.
    virtual std::string version() const { return {}; }
    /// What somebody else has changed of it, so that its next call has to be approved, whatever is said of it
    /// elsewhere: a clause for whoever approves, who has to see what it is now. Empty: nothing, or that was accepted.
    virtual std::string change() const { return {}; }
    /// Somebody has approved a call of it as it was in this version. It says nothing of any other version.
    virtual void accept([[maybe_unused]] const std::string& version) {}
    /// The arguments have been validated against the schema. An exception becomes an observation that is not ok, except
    /// for cancellation. Called by any number of runs at once; the arguments live until it ends.
    virtual awaitable<Observation> call(const nlohmann::json& arguments) = 0;
    /// The same by somebody: what is called by an agent is called so. The context outlives the call.
    virtual awaitable<Observation> call(const nlohmann::json& arguments, ToolContext&) { return call(arguments); }
};

/// A tool that uses its context. Called without one it gets one that nobody hears (tools/tool_context.hpp).
class ContextTool : public Tool {
public:
    awaitable<Observation> call(const nlohmann::json& arguments) final;
    awaitable<Observation> call(const nlohmann::json& arguments, ToolContext&) override = 0;
};
}
