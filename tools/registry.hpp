// The tools of an agent, by name.
//
//     Registry tools;
//     tools.add(make_tool("add", "Adds two numbers.", add, {"a", "b"}));
//     auto observation = co_await tools.call(name, arguments);   // never throws for what a model got wrong
//
// A registry is a resource: filled before the first run, then shared by all of them.
#pragma once
#include "tools/permission.hpp"
#include "tools/tool.hpp"
#include <memory>
#include <string_view>
#include <vector>

namespace weft::tools {
class Validator;
class Registry {
public:
    /// Throws Error{usage} for a name that is taken, empty, or not of letters, digits, '_' and '-' (64 at most), and
    /// for a schema that is invalid or cannot be checked (tools/schema/schema_check.hpp).
    void add(std::shared_ptr<Tool>);
    Tool* find(std::string_view name) const;                                  // or null
    const std::vector<std::shared_ptr<Tool>>& all() const { return tools_; }  // in the order of addition
    /// The schema of the arguments as text, of a tool by its place in all().
    const std::string& schema_text(std::size_t place) const { return schemas_[place]; }
    /// The tools of these names, in this order, with the same permissions. Throws Error{usage} that lists what there
    /// is.
    Registry only(const std::vector<std::string>& names) const;

    /// From now on these hold, for all its calls. Names of tools that it does not have say nothing. Those that it has
    /// without this are the usual ones: what changes something, and what needs an approval, is asked about.
    void permit(Permissions);
    const Permissions& permissions() const { return *permissions_; }
    /// Whether this call may run: it is for agents to ask this, as call() does not. One that cannot run, of an unknown
    /// tool or with arguments that are wrong, is allowed: call() says what is wrong.
    Verdict permission(std::string_view name, const std::string& arguments) const;
    /// Whether its calls are blocked, whatever their arguments are.
    bool denies(std::string_view name) const;
    /// Whether this call has to be approved before it runs.
    bool needs_approval(std::string_view name, const std::string& arguments) const;
    /// Another text for a tool that is described otherwise, or has other arguments. Empty for an unknown tool.
    std::string fingerprint(std::string_view name) const;
    /// Somebody has approved a call of the tool as it was when it had this fingerprint. Whoever asks takes that before
    /// Verdict::why, so that nothing is accepted that was not shown.
    void accept(std::string_view name, const std::string& fingerprint) const;
    /// What is wrong with the arguments, as call() would say it; empty if nothing is.
    std::string mistake(std::string_view name, const std::string& arguments) const;

    /// Parses and validates the arguments (JSON text, an object; empty or null is {}), and calls. An unknown tool, bad
    /// arguments and whatever the tool throws become an observation that says what was expected. Only cancellation
    /// (operation_aborted) is thrown. Both strings are kept until it ends; the context outlives it. What is too long of
    /// an observation is cut, with a mark (tools/observation.hpp).
    awaitable<Observation> call(std::string name, std::string arguments, ToolContext&) const;
    /// By nobody.
    awaitable<Observation> call(std::string name, std::string arguments) const;

private:
    struct Read;  // a call, as far as it can be read
    Read read(std::string_view name, const std::string& arguments) const;
    std::vector<std::shared_ptr<Tool>> tools_;
    std::vector<std::shared_ptr<const Validator>> validators_;  // of the tools, in their order
    std::vector<std::string> schemas_;                          // likewise: every prompt shows them
    std::shared_ptr<const Permissions> permissions_ = std::make_shared<const Permissions>();
};
}
