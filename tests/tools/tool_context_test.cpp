// Functions with a ToolContext, and their progress and questions.
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
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
    Heard() = default;
    explicit Heard(const Clock& clock) : ToolContext(clock) {}
    std::string key() const override { return "key 1"; }
    json values() const override { return {{"tenant", "acme"}}; }
    bool can_ask() const override { return true; }
    std::vector<std::string> told;
    std::vector<ToolQuestion> asked;
    ToolAnswer answer{AnswerAction::accept};

private:
    awaitable<ToolAnswer> put(ToolQuestion question) override {
        asked.push_back(std::move(question));
        co_return answer;
    }
    void tell(ProgressReport one) override {
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

TEST_CASE("a function takes its context first, last or alone, which no schema has") {
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
TEST_CASE("a tool without a caller has an empty context") {
    CHECK(testing::await(make_tool("first", "", first, {"file"})->call(json{{"file", "a"}})).text == "a  nobody");
    Registry tools;
    tools.add(make_tool("alone", "", alone));
    CHECK(testing::await(tools.call("alone", "")).text == "0");
}
TEST_CASE("a tool's progress becomes short UTF-8 text and finite numbers") {
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
TEST_CASE("a tool's excessive progress is dropped for any caller, but its end is reported once") {
    testing::ManualClock clock;
    Heard heard(clock);
    for (int i = 0; i <= 5000; ++i) heard.progress(i, 5000);
    for (int i = 0; i <= 5000; ++i) heard.progress(7, 7);
    CHECK(heard.told.size() == 21);
    CHECK(heard.told.back() == "5000/5000 ");
    for (int i = 0; i < 3000; ++i) {
        clock.advance(std::chrono::seconds(1));
        heard.note("at work");
    }
    CHECK(heard.told.size() == 1000);
}
TEST_CASE("a call asks at most twenty questions, short ones in UTF-8") {
    Heard heard;
    const auto ask = [&](std::size_t form, const std::string& message) {
        ToolQuestion question;
        question.from = question.message = question.mistake = message;
        question.form.text = std::string(form, ' ');
        return testing::await(heard.ask(std::move(question)));
    };
    CHECK_THROWS_AS(ask(65 << 10, "?"), ToolError);
    ask(2, std::string(10'000, 'x') + "\xFF");
    REQUIRE(heard.asked.size() == 1);
    CHECK(heard.asked[0].from.size() == 200);
    CHECK(heard.asked[0].message.size() == 4000);
    CHECK(heard.asked[0].mistake.size() == 4000);
    ask(2, "a\xFF");
    CHECK(heard.asked[1].message == "a\uFFFD");
    for (int i = 2; i < 20; ++i) ask(2, "?");
    CHECK_THROWS_AS(ask(2, "?"), ToolError);
    CHECK(heard.asked.size() == 20);
}
TEST_CASE("an accepting answer always has an object") {
    for (const char* content : {"", "null", "[1]", "\"x\"", "{broken"}) {
        Heard heard;
        heard.answer.content.text = content;
        ToolQuestion question;
        CHECK(testing::await(heard.ask(std::move(question))).content.text == "{}");
    }
    Heard heard;
    heard.answer.content.text = R"({"a":1})";
    ToolQuestion first, second;
    CHECK(testing::await(heard.ask(std::move(first))).content.text == R"({"a":1})");
    heard.answer.action = AnswerAction::decline;
    CHECK(testing::await(heard.ask(std::move(second))).content.text.empty());
}
