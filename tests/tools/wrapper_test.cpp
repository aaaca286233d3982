#include "engine/testing/await.hpp"
#include "tools/alias.hpp"
#include "tools/arithmetic.hpp"
#include "tools/at_most_once.hpp"
#include "tools/parallel.hpp"
#include "tools/registry.hpp"
#include "tools/tool_context.hpp"
#include "tools/wrapper.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::tools;
using nlohmann::json;

namespace {
/// A tool that overrides every property with another value than the default.
class Odd final : public Tool {
public:
    explicit Odd(bool parallel) : parallel_(parallel) {}
    const std::string& name() const override { return name_; }
    const std::string& description() const override { return description_; }
    const json& schema() const override { return schema_; }
    std::vector<std::string> parameters() const override { return {"z", "a"}; }
    bool is_parallel() const override { return parallel_; }
    std::string version() const override { return "7"; }
    std::string change() const override { return accepted == "7" ? "" : "it is odder"; }
    void accept(const std::string& version) override { accepted = version; }
    awaitable<Observation> call(const json& arguments) override { co_return Observation{arguments.dump(), false}; }
    awaitable<Observation> call(const json& arguments, ToolContext& context) override {
        seen = &context;
        return call(arguments);
    }
    ToolContext* seen = nullptr;
    std::string accepted;

private:
    const bool parallel_;
    const std::string name_ = "odd", description_ = "Is odd.";
    const json schema_ = {{"type", "object"}};
};
class Plain final : public ToolWrapper {
public:
    explicit Plain(std::shared_ptr<Tool> tool) : ToolWrapper(std::move(tool)) {}
};

struct Wrapping {
    const char* what;
    std::shared_ptr<Tool> (*wrap)(std::shared_ptr<Tool>);
    const char* name = "odd";
    bool always_parallel = false;
};
const Wrapping wrappings[] = {
    {"a wrapper that changes nothing",
     [](auto tool) -> std::shared_ptr<Tool> { return std::make_shared<Plain>(tool); }},
    {"alias", [](auto tool) { return alias("other", tool); }, "other"},
    {"parallel", [](auto tool) { return parallel(tool); }, "odd", true},
    {"at_most_once", [](auto tool) { return at_most_once(tool); }},
    {"only_exact", [](auto tool) { return only_exact(tool); }},
};
}

TEST_CASE("a wrapping tool keeps each property of the wrapped one that it does not change") {
    for (const auto& wrapping : wrappings)
        for (const bool is_parallel : {true, false}) {
            CAPTURE(wrapping.what);
            const auto odd = std::make_shared<Odd>(is_parallel);
            const auto tool = wrapping.wrap(odd);
            CHECK(tool->name() == wrapping.name);
            CHECK(tool->description() == "Is odd.");
            CHECK(tool->schema() == json{{"type", "object"}});
            CHECK(tool->parameters() == std::vector<std::string>{"z", "a"});
            CHECK(tool->is_parallel() == (is_parallel || wrapping.always_parallel));
            CHECK(tool->version() == "7");
            CHECK(tool->change() == "it is odder");
            tool->accept("7");
            CHECK(odd->accepted == "7");
            const json arguments = {{"a", 1}};
            const auto observation = testing::await(tool->call(arguments));
            CHECK(observation.text == R"({"a":1})");
            CHECK_FALSE(observation.ok);
            ToolContext context;
            Registry registry;
            registry.add(tool);
            testing::await(registry.call(wrapping.name, R"({"a": 1})", context));
            CHECK(odd->seen == &context);
        }
}
TEST_CASE("a tool of exact integers refuses only integers that a double would round") {
    const auto tool = only_exact(std::make_shared<Odd>(true));
    const auto call = [&](const json& arguments) { return testing::await(tool->call(arguments)).text; };
    CHECK(call({{"a", 9007199254740991}}) == R"({"a":9007199254740991})");
    CHECK(call({{"a", 1e300}}) == R"({"a":1e+300})");
    CHECK_THROWS_WITH_AS(call({{"a", 9007199254740993}}),
                         "the integer 9007199254740993 is 2^53 or more, too large to be exact", ToolError);
}
