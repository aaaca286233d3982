// A call that needs approval by declaration and a call that changes something differ in the mode automatic only.
#include "tools/permission.hpp"
#include "tools/tool.hpp"
#include <algorithm>

namespace weft::tools {
namespace {
constexpr auto nobody_is_asked = "it needs a permission, and no person is asked for one here";
constexpr auto rule_failed = "a rule for its calls has failed";

bool is_in(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}
struct RuleResult {
    std::optional<Verdict> strongest = {};  // std::nullopt: no rule has judged
    bool failed = false;                    // a rule has thrown: it might have blocked the call
};
RuleResult by_rules(const std::vector<PermissionRule>& rules, const std::string& tool,
                    const nlohmann::json& arguments) {
    RuleResult ruled;
    for (const auto& rule : rules) {
        std::optional<Verdict> said;
        try {
            said = rule(tool, arguments);
        } catch (...) { ruled.failed = true; }
        if (said && (!ruled.strongest || said->permission > ruled.strongest->permission))
            ruled.strongest = std::move(said);
    }
    return ruled;
}
std::string change_of(const Tool& tool) {
    try {
        return tool.change();
    } catch (...) { return "it is not known whether this tool is still as it was first shown"; }
}
bool yes_if_it_throws(const auto& question) {
    try {
        return question();
    } catch (...) { return true; }
}
}

Verdict Permissions::of(const Tool& tool, const nlohmann::json& arguments) const {
    const auto& name = tool.name();
    if (is_in(deny, name)) return {Permission::block, "it is not allowed here"};
    auto [ruled, failed] = by_rules(rules, name, arguments);
    if (ruled && ruled->permission == Permission::block) {
        if (ruled->why.empty()) ruled->why = "a rule does not allow it";
        return std::move(*ruled);
    }
    if (auto change = change_of(tool); !change.empty()) {
        if (mode == PermissionMode::ask || mode == PermissionMode::automatic)
            return {Permission::ask, std::move(change), true};
        return {Permission::block, std::move(change) + ", and no person is asked here", true};
    }
    const auto asked = [this](std::string why, bool declared) -> Verdict {
        if (mode == PermissionMode::yes || (mode == PermissionMode::automatic && !declared)) return {};
        if (mode == PermissionMode::never) return {Permission::block, nobody_is_asked};
        return {Permission::ask, std::move(why)};
    };
    if (failed && (mode == PermissionMode::yes || mode == PermissionMode::never))
        return {Permission::block, std::string(rule_failed) + ", and no person is asked here"};
    if (failed) return {Permission::ask, rule_failed};
    if (ruled && ruled->permission == Permission::ask) return asked(std::move(ruled->why), true);
    if (is_in(ask, name) || yes_if_it_throws([&] { return tool.needs_approval(arguments); })) return asked({}, true);
    if (ruled || is_in(allow, name)) return {};
    if (yes_if_it_throws([&] { return tool.changes(arguments); })) return asked("it may change something", false);
    return {};
}
}
