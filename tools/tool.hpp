// A tool is a function that agents can call: a name, a description, the JSON Schema of its arguments, and the code.
// See tools/make_tool.hpp to make one from a plain function, tools/observation.hpp for its result,
// tools/tool_context.hpp for its view of the run, and tools/registry.hpp for the tools of an agent.
#pragma once
#include "engine/awaitable.hpp"
#include "tools/observation.hpp"
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>

namespace weft::tools {
class ToolContext;  // tools/tool_context.hpp

/// A tool's function throws this if it cannot do its work: a sentence for the model.
struct ToolError : std::runtime_error {
    using runtime_error::runtime_error;
};

class Tool {
public:
    virtual ~Tool() = default;
    virtual const std::string& name() const = 0;
    virtual const std::string& description() const = 0;
    virtual const nlohmann::json& schema() const = 0;  // schema of the arguments: an object's
    /// The schema that validates the arguments, if it has less than the schema for the model: then the tool itself
    /// validates the rest.
    virtual const nlohmann::json& checked_schema() const { return schema(); }
    /// The arguments' names in the order of their declaration, which a schema does not keep, for callers that give
    /// values without names. By default: the required names in the schema's order, then the others.
    virtual std::vector<std::string> parameters() const;
    /// Whether its calls may overlap with other calls of one reply, because it changes nothing that they see. Declared
    /// by tools/parallel.hpp.
    virtual bool is_parallel() const { return false; }
    /// Whether a person must approve a call with these arguments, which fit the schema, before it runs. Declared by
    /// tools/needs_approval.hpp. If it throws, the answer is yes.
    virtual bool needs_approval(const nlohmann::json&) const { return false; }
    /// Whether a call with these arguments, which fit the schema, changes something, and so needs a permission
    /// (tools/permission.hpp). Declared by tools/changing.hpp. If it throws, the answer is yes.
    virtual bool changes(const nlohmann::json&) const { return false; }
    /// For a tool whose description may change while the program runs: another text for each version. Empty: the
    /// description never changes.
    virtual std::string version() const { return {}; }
    /// A clause about a change of the tool by its server, for the person who approves the next call: this call needs
    /// an approval whatever the permissions say. Empty: unchanged, or the change was accepted.
    virtual std::string change() const { return {}; }
    /// Accepts this version, since a person has approved a call of it; other versions stay unaccepted.
    virtual void accept([[maybe_unused]] const std::string& version) {}
    /// Runs the tool; the arguments have been validated. An exception other than cancellation becomes an observation
    /// that is not ok. Any number of runs may call at once; the arguments live until the call ends.
    virtual awaitable<Observation> call(const nlohmann::json& arguments) = 0;
    /// Runs the tool with a context, which outlives the call; agents call this one.
    virtual awaitable<Observation> call(const nlohmann::json& arguments, ToolContext&) { return call(arguments); }
};

/// A tool that uses its context. A call without one gets a context that drops all messages (tools/tool_context.hpp).
class ContextTool : public Tool {
public:
    awaitable<Observation> call(const nlohmann::json& arguments) final;
    awaitable<Observation> call(const nlohmann::json& arguments, ToolContext&) override = 0;
};
}
