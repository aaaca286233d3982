// Functions that take a ToolContext, and what they tell through it.
#include "engine/testing/await.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
using namespace weft;
using namespace weft::tools;
using nlohmann::json;

namespace {
class Heard final : public ToolContext {
public:
    std::string key() const override { return "key 1"; }
    json values() const override { return {{"tenant", "acme"}}; }
    std::vector<std::string> told;

private:
    void tell(Told one) override {
        const auto number = [](const std::optional<double>& n) { return n ? std::to_string(int(*n)) : "-"; };
        told.push_back(number(one.done) + "/" + number(one.total) + " " + one.text);
    }
};
struct Wanted {
    std::string text;
    std::optional<int> limit;
};
BOOST_DESCRIBE_STRUCT(Wanted, (), (text, limit))

awaitable<std::string> first(ToolContext& context, std::string file) {
    context.progress(1, 2, "half");
    co_return file + " " + context.key() + " " + context.values().value("tenant", "nobody");
}
awaitable<void> last(const std::string& file, ToolContext& context) {
    context.note(file);
    co_return;
}
int alone(ToolContext& context) { return context.key().empty() ? 0 : 1; }
std::string described(Wanted wanted, ToolContext&) { return wanted.text; }
std::string called(const std::shared_ptr<Tool>& tool, const char* arguments, Heard& heard) {
    Registry tools;
    tools.add(tool);
    return testing::await(tools.call(tool->name(), arguments, heard)).text;
}
}

TEST_CASE("a function takes its context first, last or alone, and no schema has it") {
    Heard heard;
    const auto with_first = make_tool("first", "", first, {"file"}), with_last = make_tool("last", "", last, {"file"}),
               with_struct = make_tool("described", "", described);
    CHECK(called(with_first, R"({"file": "a"})", heard) == "a key 1 acme");
    CHECK(called(with_last, R"({"file": "b"})", heard) == "Done.");
    CHECK(called(make_tool("alone", "", alone), "{}", heard) == "1");
    CHECK(called(with_struct, R"({"text": "c"})", heard) == "c");
    auto add = [](ToolContext&, int a, int b) { return a + b; };
    CHECK(called(make_tool("add", "", add, {"a", "b"}), R"({"a": 1, "b": 2})", heard) == "3");
    CHECK(heard.told == std::vector<std::string>{"1/2 half", "-/- b"});
    CHECK(with_first->schema() == make_tool("f", "", [](std::string file) { return file; }, {"file"})->schema());
    CHECK(with_struct->parameters() == std::vector<std::string>{"text", "limit"});
}
TEST_CASE("a tool that is called by nobody has a context without anything") {
    CHECK(testing::await(make_tool("first", "", first, {"file"})->call(json{{"file", "a"}})).text == "a  nobody");
    Registry tools;
    tools.add(make_tool("alone", "", alone));
    CHECK(testing::await(tools.call("alone", "")).text == "0");
}
TEST_CASE("what a tool tells is short text in UTF-8 and sound numbers, whatever the tool says") {
    Heard heard;
    heard.note("");
    heard.note("\x1B[2J line\nbreak \xFF");
    heard.note(std::string(10000, 'x'));
    heard.progress(std::nan(""), 5);
    heard.progress(-1, 5, "text stays");
    heard.progress(2, -3);
    heard.progress(std::numeric_limits<double>::infinity(), 1);
    REQUIRE(heard.told.size() == 4);
    CHECK(heard.told[0].find('\x1B') == std::string::npos);
    CHECK(heard.told[0].find('\n') == std::string::npos);
    CHECK(heard.told[1].size() < 520);
    CHECK(heard.told[2] == "-/5 text stays");
    CHECK(heard.told[3] == "2/- ");
}
