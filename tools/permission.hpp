// Whether a call of a tool runs, is asked for first, or is blocked. A registry has the permissions of its tools:
//
//     Permissions permissions{.allow = {"make_note"}, .deny = {"drop_table"}};
//     permissions.rules.push_back([](std::string_view tool, const nlohmann::json& arguments) {
//         const bool much = tool == "pay" && arguments.at("amount") > 1000;
//         return much ? std::optional(Verdict{Permission::block, "more than 1000 is not paid"}) : std::nullopt;
//     });
//     tools.permit(std::move(permissions));
//
// The first line that fits a call decides about it:
//
// | what is said of the call                                             | ask    | automatic | yes    | never  |
// |----------------------------------------------------------------------|--------|-----------|--------|--------|
// | `deny` has its tool, or a rule blocks it                             | block  | block     | block  | block  |
// | somebody else has changed the tool since it was shown (tools/tool.hpp)| ask   | ask       | block  | block  |
// | a rule throws, which might have blocked it                           | ask    | ask       | block  | block  |
// | a rule asks; the tool needs_approval; `ask` has its tool             | ask    | ask       | allow  | block  |
// | a rule allows it; `allow` has its tool                               | allow  | allow     | allow  | allow  |
// | the tool changes something by it (tools/changing.hpp)                | ask    | allow     | allow  | block  |
// | nothing                                                              | allow  | allow     | allow  | allow  |
//
// Whoever is asked may allow a tool for the rest of the run: then what any of these lines asks for is allowed
// there, as long as the tool is described as it was. Nothing allows what is blocked.
//
// Rules are for code, and never for the model. They get arguments that fit the tool's schema, are called more than once
// for a call and by any number of runs at the same time, and have to say the same each time. All rules are tried on all
// calls of a reply before the first of them runs.
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

/// Who is asked about what.
enum class PermissionMode {
    ask,        // whoever can answer, about whatever changes something
    automatic,  // only about what somebody has declared to need an approval
    yes,        // nobody, and everything runs that is not blocked
    never,      // nobody, and what would be asked about does not run
};
BOOST_DESCRIBE_ENUM(PermissionMode, ask, automatic, yes, never)

struct Verdict {
    Permission permission = Permission::allow;
    std::string why = {};  // of ask and block, for whoever is asked, and for the model; a clause, or empty
    bool changed = false;  // the tool is not what it was when it was last shown to anybody
};
/// Judges a call; std::nullopt: it has nothing to say of this one.
using PermissionRule = std::function<std::optional<Verdict>(std::string_view tool, const nlohmann::json& arguments)>;

struct Permissions {
    PermissionMode mode = PermissionMode::ask;
    std::vector<std::string> allow = {}, ask = {}, deny = {};  // names of tools
    std::vector<PermissionRule> rules = {};  // each is asked; block is stronger than ask, ask than allow
    /// What holds for a call with these arguments, which fit the schema. A rule or a tool that throws is judged as
    /// above: nothing of theirs is thrown. From any thread.
    Verdict of(const Tool&, const nlohmann::json& arguments) const;
};
}
