// A tool is something that an agent can call: a name, a description, the JSON Schema of its arguments, and a function.
// See tools/make_tool.hpp to make one from a plain function, and tools/registry.hpp for the tools of an agent.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/describe.hpp"
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::tools {
/// What the model gets. Errors inside a tool are observations too: the model may react to them.
struct Observation {
    std::string text;
    bool ok = true;   // the tool did what it was asked
    bool ran = true;  // it was called; else there is no such tool, or the arguments were wrong
    friend bool operator==(const Observation&, const Observation&) = default;
};
BOOST_DESCRIBE_STRUCT(Observation, (), (text, ok, ran))

/// Thrown by a tool's function that cannot do what it was asked: a sentence for the model.
struct ToolError : std::runtime_error {
    using runtime_error::runtime_error;
};

/// The caller of a tool. Most tools do not need it. A tool that spends the caller's budget, such as one that asks a
/// model, finds it there; the layer that knows both declares the class (agents::Asker).
class Caller {
public:
    virtual ~Caller() = default;
    /// The same for each attempt of this call, and after a crash, and another one for each other call. A tool that
    /// changes something passes it on to whoever does that, so that it is done once. Empty: there is none.
    virtual std::string key() const { return {}; }
    /// Awaits the work, but never a second time for this call, if the caller keeps account of that: the result of the
    /// first time, or nothing if it is not known. See tools/at_most_once.hpp.
    virtual awaitable<std::optional<Observation>> at_most_once(awaitable<Observation> work);
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
    /// The same, for a tool that needs its caller, which may be null. The caller outlives the call.
    virtual awaitable<Observation> call_for(Caller*, const nlohmann::json& arguments) { return call(arguments); }
};
}
