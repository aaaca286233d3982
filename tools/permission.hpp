// Permissions decide whether a call of a tool runs, needs an approval, or is blocked. Each registry has its own:
//
//     Permissions permissions{.allow = {"make_note"}, .deny = {"drop_table"}};
//     permissions.rules.push_back([](std::string_view tool, const nlohmann::json& arguments) {
//         const bool much = tool == "pay" && arguments.at("amount") > 1000;
//         return much ? std::optional(Verdict{Permission::block, "more than 1000 is not paid"}) : std::nullopt;
//     });
//     tools.permit(std::move(permissions));
//
// The first matching line decides:
//
// | the call                                                             | ask    | automatic | yes    | never  |
// |----------------------------------------------------------------------|--------|-----------|--------|--------|
// | `deny` has its tool, or a rule blocks it                             | block  | block     | block  | block  |
// | its tool has changed since it was shown (tools/tool.hpp)             | ask    | ask       | block  | block  |
// | a rule throws, which might have blocked it                           | ask    | ask       | block  | block  |
// | a rule asks; the tool needs_approval; `ask` has its tool             | ask    | ask       | allow  | block  |
// | a rule allows it; `allow` has its tool                               | allow  | allow     | allow  | allow  |
// | it changes something (tools/changing.hpp)                            | ask    | allow     | allow  | block  |
// | no line above matches                                                | allow  | allow     | allow  | allow  |
//
// The person may allow a tool for the rest of the run: then all its calls that need approval are allowed, as long as
// the tool's description stays the same. Blocked calls stay blocked.
//
// Code makes the rules, never the model. A rule gets arguments that fit the tool's schema, and must give the same
// result each time: any number of runs may call it at the same time, and more than once for one call. All rules judge
// all calls of a reply before the first call runs.
#pragma once
#include "engine/describe.hpp"
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools {
class Tool;
enum class Permission { allow, ask, block };
BOOST_DESCRIBE_ENUM(Permission, allow, ask, block)

/// Decides which calls need an approval.
enum class PermissionMode {
    ask,        // all calls that change something
    automatic,  // only calls of tools that need approval by declaration
    yes,        // none; all calls run that are not blocked
    never,      // none; calls that would need an approval are blocked
};
BOOST_DESCRIBE_ENUM(PermissionMode, ask, automatic, yes, never)

struct Verdict {
    Permission permission = Permission::allow;  // the decision on the call
    std::string why = {};  // reason of ask and block, for the person and the model; a clause, or empty
    bool changed = false;  // the tool has changed since a person last saw it
};
/// Judges a call; std::nullopt: no judgement.
using PermissionRule = std::function<std::optional<Verdict>(std::string_view tool, const nlohmann::json& arguments)>;

struct Permissions {
    PermissionMode mode = PermissionMode::ask;                 // the column of the table above
    std::vector<std::string> allow = {}, ask = {}, deny = {};  // names of tools
    std::vector<PermissionRule> rules = {};  // all are asked; block is stronger than ask, ask than allow
    /// The decision on a call whose arguments fit the schema. It treats a throwing rule or tool as above, and throws
    /// none of their exceptions. Any thread may call.
    Verdict of(const Tool&, const nlohmann::json& arguments) const;
};
}
