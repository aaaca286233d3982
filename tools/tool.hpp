// A tool is something that an agent can call: a name, a description, the JSON Schema of its arguments, and a function.
// How to make one from a plain function stands in tools/make_tool.hpp; how agents find them, in tools/registry.hpp.
#pragma once
#include "engine/awaitable.hpp"
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::tools {
/// What the model is told. Whatever goes wrong inside a tool is told too: it is for the model to repair.
struct Observation {
    std::string text;
    bool ok = true;   // the tool did what it was asked
    bool ran = true;  // it was called; else there is no such tool, or the arguments were wrong
};

/// What a tool's function throws when it cannot do what it was asked: a sentence for the model.
struct ToolError : std::runtime_error {
    using runtime_error::runtime_error;
};

/// Whom a tool works for. Most tools need nothing of it. One that spends what belongs to the caller, as a tool that
/// asks a model does, finds there what it needs; what that is, the layer that has both of them declares
/// (agents::Asker).
class Caller {
public:
    virtual ~Caller() = default;
};

class Tool {
public:
    virtual ~Tool() = default;
    virtual const std::string& name() const = 0;
    virtual const std::string& description() const = 0;
    virtual const nlohmann::json& schema() const = 0;  // of the arguments: always an object's
    /// The arguments' names in the order of their declaration, which a schema does not keep: for callers that give
    /// values without names. Unless a tool knows better: what the schema requires, then the rest.
    virtual std::vector<std::string> parameters() const;
    /// Whether it may run at the same time as other calls of one reply: it changes nothing that they see. Declared by
    /// tools/parallel.hpp.
    virtual bool is_parallel() const { return false; }
    /// The arguments have been validated against the schema. What it throws becomes an observation that is not ok,
    /// but for cancellation. Called by any number of runs at once; they are kept alive until it ends.
    virtual awaitable<Observation> call(const nlohmann::json& arguments) = 0;
    /// The same, for a tool that needs to know its caller: null if nobody says who that is. The caller outlives the
    /// call.
    virtual awaitable<Observation> call_for(Caller*, const nlohmann::json& arguments) { return call(arguments); }
};
}
