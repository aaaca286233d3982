// The tools of an agent, by name.
//
//     Registry tools;
//     tools.add(make_tool("add", "Adds two numbers.", add, {"a", "b"}));
//     auto observation = co_await tools.call(name, arguments);   // never throws for a model's mistake
//
// A registry is a resource: fill it before the first run; all runs share it.
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
    Tool* find(std::string_view name) const;                                  // null: unknown
    const std::vector<std::shared_ptr<Tool>>& all() const { return tools_; }  // order of addition
    /// The schema of the arguments as text; `place` is the position of its tool in all().
    const std::string& schema_text(std::size_t place) const { return schemas_[place]; }
    /// The named tools in this order, with the same permissions. Throws Error{usage}, which lists the known names.
    Registry only(const std::vector<std::string>& names) const;

    /// Sets the permissions for all calls from now on. Names of other tools have no effect. By default a call
    /// that changes something, or needs an approval by declaration, waits for a person's approval.
    void permit(Permissions);
    /// The permissions of the last permit(), else the default ones. The reference is valid until the next permit().
    const Permissions& permissions() const { return *permissions_; }
    /// Whether this call may run; agents ask this, since call() does not. A call of an unknown tool or with wrong
    /// arguments is allowed: call() explains the error.
    Verdict permission(std::string_view name, const std::string& arguments) const;
    /// Whether all calls of the tool are blocked, whatever their arguments.
    bool denies(std::string_view name) const;
    /// Whether this call needs an approval before it runs.
    bool needs_approval(std::string_view name, const std::string& arguments) const;
    /// A text that differs if the tool's description or arguments differ. Empty for an unknown tool.
    std::string fingerprint(std::string_view name) const;
    /// Accepts the version of the tool with this fingerprint, since a person has approved a call of it. Take the
    /// fingerprint before Verdict::why, so that no version is accepted that the person has not seen.
    void accept(std::string_view name, const std::string& fingerprint) const;
    /// The error in the arguments, as call() would report it; empty: none.
    std::string mistake(std::string_view name, const std::string& arguments) const;

    /// Parses and validates the arguments (JSON text, an object; empty or null is {}), and calls the tool. An unknown
    /// tool, wrong arguments and exceptions of the tool become an observation, which says what was expected. Only
    /// cancellation (operation_aborted) is thrown. The awaitable keeps both strings; the context must outlive it. An
    /// observation that is too long is cut, with a mark (tools/observation.hpp).
    awaitable<Observation> call(std::string name, std::string arguments, ToolContext&) const;
    /// Calls without a context of a run.
    awaitable<Observation> call(std::string name, std::string arguments) const;

private:
    struct ParsedCall;  // a call after parsing
    ParsedCall read(std::string_view name, const std::string& arguments) const;
    std::vector<std::shared_ptr<Tool>> tools_;
    std::vector<std::shared_ptr<const Validator>> validators_;  // order of tools_
    std::vector<std::string> schemas_;                          // order of tools_; every prompt shows them
    std::shared_ptr<const Permissions> permissions_ = std::make_shared<const Permissions>();
};
}
