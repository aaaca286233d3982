// Questions as forms, and filled-in forms as events.
#include "engine/error.hpp"
#include "engine/run.hpp"
#include "engine/workflow.hpp"
#include "tools/mcp/protocol/message.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/mcp/form.hpp"
#include <doctest/doctest.h>

using namespace weft;
using namespace weft::mcp_server;
using nlohmann::json;
namespace rpc = weft::tools::mcp;

namespace {
struct SizeStartEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(SizeStartEvent, (), ())
struct SizeRequestEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(SizeRequestEvent, (), ())
struct SizeEvent : Answers<SizeRequestEvent> {
    int granted = 0;
    std::string answer, comment;
};
BOOST_DESCRIBE_STRUCT(SizeEvent, (), (granted, answer, comment))
struct SizeStopEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(SizeStopEvent, (), ())
SizeRequestEvent ask_size(Context&, SizeStartEvent) { return {}; }
SizeStopEvent take_size(Context&, SizeEvent) { return {}; }
constexpr auto sizing = workflow("sizing", step<ask_size>, step<take_size>);

std::vector<const EventType*> answers_of(std::string_view workflow) {
    return questions(catalog::find_workflow(workflow).outline()).at(0).answers;
}
}

TEST_CASE("the form of a question has a plain field for each field of its answer") {
    const auto asked = ask_by_form("ApprovalRequestEvent", {{"question", "Refund 120?"}}, answers_of("refund"));

    CHECK(asked["method"] == "elicitation/create");
    CHECK(asked["params"]["message"] == "Refund 120?");
    const auto& form = asked["params"]["requestedSchema"];
    CHECK(form["type"] == "object");
    CHECK(form["properties"]["granted"]["type"] == "boolean");
    CHECK(form["properties"]["comment"] == json{{"type", "string"}, {"default", ""}});
    CHECK(form["required"] == json::array({"granted"}));
}
TEST_CASE("the fields of a form have the order of their declaration when the question is written") {
    const auto definition = Bound<std::remove_const_t<decltype(sizing)>>(sizing).definition;
    const auto asked = ask_by_form("SizeRequestEvent", json::object(), questions(*definition).at(0).answers);

    const auto text = rpc::write(rpc::Request{std::int64_t(1), asked["method"], asked["params"]});

    const auto at = [&](const char* name) { return text.find('"' + std::string(name) + "\":{"); };
    CHECK(at("granted") < at("answer"));
    CHECK(at("answer") < at("comment"));
    CHECK(at("comment") != text.npos);
    CHECK(text.find("propertyOrdering") == text.npos);
}
TEST_CASE("an agent's question is shown with its parts as harmless text, and structured parts as JSON") {
    const json value = {{"id", "call_1"},
                        {"tool", "pay\x1b[2J"},
                        {"arguments", {{"amount", 7}}},
                        {"mistake", ""},
                        {"fingerprint", "0123abcd"}};

    const auto asked = ask_by_form("ToolApprovalRequestEvent", value, answers_of("react"), "no such decision");

    const auto text = asked["params"]["message"].get<std::string>();
    CHECK(text.starts_with("tool approval request\n"));
    CHECK(text.find("\narguments: {\"amount\":7}") != text.npos);
    CHECK(text.find('\x1b') == text.npos);
    CHECK(text.find("call_1") == text.npos);
    CHECK(text.find("0123abcd") == text.npos);
    CHECK(text.find("no such decision") != text.npos);
    const auto& fields = asked["params"]["requestedSchema"]["properties"];
    CHECK(fields["decision"]["enum"] == json::array({"reject", "approve", "edit", "always"}));
    CHECK(fields["arguments"]["type"] == "string");
}
TEST_CASE("a shortened part says how much of it is missing, and different parts stay different") {
    const json value = {{"question", "Pay?\nwhy: it is cheap"}, {"details", std::string(70'000, 'x')}};

    const auto text = ask_by_form("AnyEvent", value, answers_of("refund"))["params"]["message"].get<std::string>();

    CHECK(text.find("[4464 more bytes are not shown]") != text.npos);
    CHECK(text.find("\nwhy:") == text.npos);
    CHECK(fits_question(std::string(60'000, 'x')));
    CHECK_FALSE(fits_question(std::string(70'000, 'x')));
}
TEST_CASE("a filled-in form becomes the answering event") {
    const auto plain = read_form({{"action", "accept"}, {"content", {{"granted", true}, {"other", 1}}}},
                                 answers_of("refund"));
    CHECK(plain.event == "ApprovalEvent");
    CHECK(plain.data == json{{"granted", true}});

    const auto edited = read_form(
        {{"action", "accept"}, {"content", {{"decision", "edit"}, {"arguments", R"({"amount": 5})"}, {"reason", ""}}}},
        answers_of("react"));
    CHECK(edited.data["arguments"] == json{{"amount", 5}});
}
TEST_CASE("a decline differs from an unreadable answer") {
    CHECK_THROWS_AS(read_form({{"action", "decline"}}, answers_of("refund")), DeclinedForm);
    CHECK_THROWS_AS(read_form({{"action", "cancel"}}, answers_of("refund")), DeclinedForm);
    CHECK_THROWS_AS(read_form({{"action", "shrug"}}, answers_of("refund")), Error);
    CHECK_THROWS_AS(read_form({{"action", "accept"}, {"content", 7}}, answers_of("refund")), Error);
    CHECK_THROWS_AS(
        read_form({{"action", "accept"}, {"content", {{"decision", "edit"}, {"arguments", "{"}}}}, answers_of("react")),
        Error);
}
TEST_CASE("a form has a field that chooses between several possible answers") {
    auto both = answers_of("refund");
    for (const auto* type : answers_of("react")) both.push_back(type);

    const auto form = ask_by_form("AnyEvent", json::object(), both)["params"]["requestedSchema"];
    CHECK(form["properties"]["answer"]["enum"] == json::array({"ApprovalEvent", "ToolApprovalEvent"}));
    CHECK(form["required"] == json::array({"answer"}));

    json result = {{"action", "accept"}, {"content", {{"answer", "ApprovalEvent"}, {"granted", true}}}};
    CHECK(read_form(result, both).event == "ApprovalEvent");
    result["content"]["answer"] = "Other";
    CHECK_THROWS_AS(read_form(result, both), Error);
}
TEST_CASE("a form has a separate field for each of several fields of one name") {
    const auto definition = Bound<std::remove_const_t<decltype(sizing)>>(sizing).definition;
    auto both = answers_of("refund");
    both.push_back(questions(*definition).at(0).answers.at(0));

    const auto fields = ask_by_form("AnyEvent", json::object(), both)["params"]["requestedSchema"]["properties"];

    CHECK(fields["answer"].contains("enum"));
    CHECK(fields["ApprovalEvent_granted"]["type"] == "boolean");
    CHECK(fields["SizeEvent_granted"]["type"] == "integer");
    const json content = {{"answer", "SizeEvent"}, {"SizeEvent_granted", 3}, {"SizeEvent_answer", "so"}};
    CHECK(read_form({{"action", "accept"}, {"content", content}}, both).data == json{{"granted", 3}, {"answer", "so"}});
}
