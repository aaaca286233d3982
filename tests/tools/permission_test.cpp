// The decision to run, ask or block: a table of calls, rules and modes.
#include "engine/error.hpp"
#include "engine/testing/await.hpp"
#include "tools/alias.hpp"
#include "tools/changing.hpp"
#include "tools/make_tool.hpp"
#include "tools/needs_approval.hpp"
#include "tools/parallel.hpp"
#include "tools/permission.hpp"
#include "tools/wrapper.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::tools;
using nlohmann::json;

namespace {
std::shared_ptr<Tool> pay() {
    return make_tool("pay", "Pays an amount.", [](int amount) { return amount; }, {"amount"});
}
PermissionRule says(Permission permission, std::string why = "because") {
    return [permission, why](std::string_view, const json&) { return Verdict{permission, why}; };
}
const PermissionRule silent = [](std::string_view, const json&) { return std::nullopt; };
const PermissionRule broken = [](std::string_view, const json& arguments) -> std::optional<Verdict> {
    return Verdict{arguments.at("nothing") > 1 ? Permission::block : Permission::allow};
};
bool fails(const json& arguments) { return arguments.at("nothing"); }

/// A server's tool with a changed description.
struct Changed final : ToolWrapper {
    explicit Changed(std::shared_ptr<Tool> tool, bool throws = false) : ToolWrapper(std::move(tool)), throws_(throws) {}
    std::string version() const override { return "2"; }
    std::string change() const override {
        if (throws_) throw std::runtime_error("no");
        return accepted_ == "2" ? "" : "it pays more";
    }
    void accept(const std::string& version) override { accepted_ = version; }
    const bool throws_;
    std::string accepted_;
};

struct Said {
    const char* what;
    std::shared_ptr<Tool> tool;
    Permissions permissions;
    std::string verdicts;  // for the modes ask, automatic, yes, never: r(uns), a(sks), b(locks)
};
std::vector<Said> table() {
    const auto reads = pay(), changes = changing(pay()), asks = needs_approval(pay());
    const auto with = [](std::vector<PermissionRule> rules) {
        Permissions permissions;
        permissions.rules = std::move(rules);
        return permissions;
    };
    const Permissions none, allow{.allow = {"pay"}}, ask{.ask = {"pay"}}, deny{.deny = {"pay"}},
        others{.allow = {"x"}, .ask = {"y"}, .deny = {"z", "pays"}},
        all_lists{.allow = {"pay"}, .ask = {"pay"}, .deny = {"pay"}}, two_lists{.allow = {"pay"}, .ask = {"pay"}};
    auto denied_and_allowed = with({says(Permission::allow)});
    denied_and_allowed.deny = {"pay"};
    auto allowed_and_asked = with({says(Permission::ask)});
    allowed_and_asked.allow = {"pay"};
    auto allowed_and_blocked = with({says(Permission::block)});
    allowed_and_blocked.allow = {"pay"};
    return {
        {"it reads", reads, none, "rrrr"},
        {"it may change something", changes, none, "arrb"},
        {"it needs an approval", asks, none, "aarb"},
        {"it does both", needs_approval(changing(pay())), none, "aarb"},
        {"its declaration throws", changing(pay(), fails), none, "arrb"},
        {"its rule throws", needs_approval(pay(), fails), none, "aarb"},
        {"a rule of its own says no", changing(pay(), [](const json&) { return false; }), none, "rrrr"},
        {"others are named", changes, others, "arrb"},
        {"it is allowed by name", changes, allow, "rrrr"},
        {"it is allowed by name, and needs an approval", asks, allow, "aarb"},
        {"it is asked for by name", reads, ask, "aarb"},
        {"it is denied by name", reads, deny, "bbbb"},
        {"all lists name it", changes, all_lists, "bbbb"},
        {"it is allowed and asked for by name", changes, two_lists, "aarb"},
        {"a rule allows it", changes, with({says(Permission::allow)}), "rrrr"},
        {"a rule allows what needs an approval", asks, with({says(Permission::allow)}), "aarb"},
        {"a rule asks", reads, with({says(Permission::ask)}), "aarb"},
        {"a rule blocks it", reads, with({says(Permission::block)}), "bbbb"},
        {"a rule says nothing", changes, with({silent}), "arrb"},
        {"a rule throws", reads, with({broken}), "aabb"},
        {"a rule throws, another one allows it", changes, with({broken, says(Permission::allow)}), "aabb"},
        {"a rule throws, another one asks", reads, with({says(Permission::ask), broken}), "aabb"},
        {"the strongest rule counts", reads, with({says(Permission::allow), says(Permission::block), broken}), "bbbb"},
        {"a rule asks and another one allows", reads, with({says(Permission::ask), says(Permission::allow)}), "aarb"},
        {"it is denied, and a rule allows it", reads, denied_and_allowed, "bbbb"},
        {"it has changed", std::make_shared<Changed>(pay()), none, "aabb"},
        {"it cannot say whether it has changed", std::make_shared<Changed>(pay(), true), none, "aabb"},
        {"it has changed, and is allowed by name", std::make_shared<Changed>(changing(pay())), allow, "aabb"},
        {"it has changed, and is asked for by name", std::make_shared<Changed>(pay()), ask, "aabb"},
        {"it has changed, and a rule asks", std::make_shared<Changed>(pay()), with({says(Permission::ask)}), "aabb"},
        {"it has changed, and a rule allows it", std::make_shared<Changed>(pay()), with({says(Permission::allow)}),
         "aabb"},
        {"it has changed, and a rule blocks it", std::make_shared<Changed>(pay()), with({says(Permission::block)}),
         "bbbb"},
        {"it is allowed by name, and a rule asks", reads, allowed_and_asked, "aarb"},
        {"it is allowed by name, and a rule blocks it", reads, allowed_and_blocked, "bbbb"},
    };
}
}

TEST_CASE("the rule for a call and the mode decide whether it runs, needs approval, or is blocked") {
    constexpr PermissionMode modes[] = {PermissionMode::ask, PermissionMode::automatic, PermissionMode::yes,
                                        PermissionMode::never};
    for (auto& row : table()) {
        CAPTURE(row.what);
        std::string verdicts;
        for (const auto mode : modes) {
            Registry tools;
            tools.add(row.tool);
            row.permissions.mode = mode;
            tools.permit(row.permissions);
            const auto verdict = tools.permission("pay", R"({"amount": 5})");
            verdicts += "rab"[int(verdict.permission)];
            CHECK((verdict.permission == Permission::block) <= !verdict.why.empty());
            CHECK(tools.needs_approval("pay", R"({"amount": 5})") == (verdict.permission == Permission::ask));
            CHECK(tools.denies("pay") ==
                  (std::string(row.what).find("denied") != std::string::npos || row.permissions.deny.size() == 1));
        }
        CHECK(verdicts == row.verdicts);
    }
}
TEST_CASE("a rule gets the tool and valid arguments, and no call that cannot run") {
    std::vector<std::string> seen;
    Registry tools;
    tools.add(pay());
    Permissions permissions;
    permissions.rules.push_back([&seen](std::string_view tool, const json& arguments) -> std::optional<Verdict> {
        seen.push_back(std::string(tool) + arguments.dump());
        if (arguments.at("amount") > 100) return Verdict{Permission::block, "more than 100 is not paid"};
        return std::nullopt;
    });
    tools.permit(permissions);
    CHECK(tools.permission("pay", R"({"amount": 101.0})").why == "more than 100 is not paid");
    CHECK(tools.permission("pay", R"({"amount": 100})").permission == Permission::allow);
    for (const auto* wrong : {R"({"amount": "x"})", "{", "", "[1]"})
        CHECK(tools.permission("pay", wrong).permission == Permission::allow);
    CHECK(tools.permission("unknown", "{}").permission == Permission::allow);
    CHECK(seen == std::vector<std::string>{R"(pay{"amount":101})", R"(pay{"amount":100})"});
    Permissions empty;
    empty.rules.emplace_back();
    CHECK_THROWS_WITH_AS(tools.permit(empty), doctest::Contains("empty rule"), Error);
    CHECK_THROWS_WITH_AS(changing(pay(), ChangeRule()), doctest::Contains("empty rule"), Error);
}
TEST_CASE("permissions apply to a part of the tools, and under other names") {
    Registry tools;
    tools.add(pay());
    tools.add(make_tool("look", "Looks.", [] { return 1; }));
    Permissions permissions{.deny = {"pay"}};
    permissions.rules.push_back([](std::string_view tool, const json&) -> std::optional<Verdict> {
        return tool == "look" ? std::optional(Verdict{Permission::ask}) : std::nullopt;
    });
    tools.permit(permissions);
    CHECK(tools.only({"pay"}).permission("pay", R"({"amount": 1})").permission == Permission::block);
    const auto renamed = with_names(tools, {{"pay", "give"}, {"look", "see"}});
    CHECK(renamed.permission("give", R"({"amount": 1})").permission == Permission::block);
    CHECK(renamed.permission("see", "{}").permission == Permission::ask);
}
TEST_CASE("a wrapping tool has the wrapped tool's kind of changes") {
    const auto wrapped = parallel(alias("give", changing(pay(), [](const json& a) { return a.at("amount") > 1; })));
    CHECK(wrapped->changes({{"amount", 2}}));
    CHECK_FALSE(wrapped->changes({{"amount", 1}}));
    CHECK_FALSE(pay()->changes({{"amount", 2}}));
    CHECK(changing(changing(pay()), [](const json&) { return false; })->changes({{"amount", 1}}));
}
TEST_CASE("a tool with another description or other parameters has another fingerprint") {
    const auto print = [](const std::shared_ptr<Tool>& tool) {
        Registry tools;
        tools.add(tool);
        return tools.fingerprint(tool->name());
    };
    const auto same = print(pay());
    CHECK(same.size() == 64);
    CHECK(print(pay()) == same);
    CHECK(print(changing(pay())) == same);
    CHECK(print(make_tool("pay", "Pays any amount.", [](int amount) { return amount; }, {"amount"})) != same);
    CHECK(print(make_tool("pay", "Pays an amount.", [](double amount) { return amount; }, {"amount"})) != same);
    CHECK(Registry().fingerprint("pay").empty());
    CHECK(print(std::make_shared<Changed>(pay())) != same);
}
TEST_CASE("a question about a changed tool says so, also when a rule requires it, and is asked once") {
    Registry tools;
    tools.add(std::make_shared<Changed>(pay()));
    tools.permit({.ask = {"pay"}, .rules = {says(Permission::ask, "a rule says so")}});
    CHECK(tools.permission("pay", R"({"amount": 5})").why == "it pays more");
    tools.accept("pay", "of something else");
    tools.accept("nothing", tools.fingerprint("pay"));
    CHECK(tools.permission("pay", R"({"amount": 5})").changed);
    tools.accept("pay", tools.fingerprint("pay"));
    const auto verdict = tools.permission("pay", R"({"amount": 5})");
    CHECK_FALSE(verdict.changed);
    CHECK(verdict.why == "a rule says so");
}
