// The parser of replies in the function-call dialect.
#include "tests/support/function_reply.hpp"
#include <doctest/doctest.h>
#include <random>
using namespace test;
using namespace weft::agents;

namespace {
Reply read(std::string_view text) { return read_function_reply(text); }
std::string error(std::string_view text) {
    const auto reply = read(text);
    return reply.kind == ReplyKind::error ? reply.error : "no error: " + reply.action + reply.answer;
}
std::string answer(std::string_view text) {
    const auto reply = read(text);
    return reply.kind == ReplyKind::answer ? reply.answer : "no answer: " + reply.error;
}
}

// shows D-07: a reply is an object of thought and action
TEST_CASE("a reply's JSON object with thought and action is read in triple back-ticks, bare, or among words") {
    const std::string object = R"x({"thought": "I multiply.", "action": "multiply(a=465, b=321)"})x";
    for (const auto& text : {object, "```\n" + object + "\n```", "```json\n" + object + "\n```", "Sure! " + object,
                             "I take {numbers} and {1, 2:\n" + object + "\nThat is all. {done}", "\n\n " + object}) {
        INFO(text);
        const auto reply = read(text);
        REQUIRE(reply.kind == ReplyKind::action);
        CHECK(reply.thought == "I multiply.");
        CHECK(reply.action == "multiply");
        CHECK(reply.action_input == R"({"a":465,"b":321})");
        CHECK(reply.written == "multiply(a=465, b=321)");
    }
}
TEST_CASE("the object is read leniently, and the thought may be missing") {
    CHECK(read(R"x({'Thought': 'x', 'Action': 'add(1, 2)',})x").action_input == R"({"a":1,"b":2})");
    CHECK(read(R"x({action: "add(1, 2)", note: "more"})x").thought.empty());
    CHECK(read(R"x({"thought": null, "action": "list()"})x").action == "list");
    CHECK(read(R"x({"action": "print(add(1, 2))"})x").action_input == R"({"a":1,"b":2})");
    CHECK(read("{\"thought\": \"two\nlines\", \"action\": \"list()\"}").thought == "two\nlines");
}
// shows B-D04
TEST_CASE("braces, quotes and parentheses inside of text are text") {
    CHECK(answer(R"x({"thought": "a } b { c", "action": "finish(answer=\"a) b } c\")"})x") == "a) b } c");
    CHECK(answer(R"x({"action": "finish(answer=\"it's {\\\"a\\\": \\\"}\\\"}\")"})x") == R"(it's {"a": "}"})");
    CHECK(read(R"x({"a": "}"} {"action": "list()"})x").action == "list");
}
TEST_CASE("the first valid object wins, and further ones are ignored and counted") {
    const auto reply = read(R"x({"note": 1} {"action": "add(x)"} {"thought": "this", "action": "add(1, 2)"}
        {"action": "list()"} {"action": "finish(3)"} {"action": "add(x)"})x");
    CHECK(reply.kind == ReplyKind::action);
    CHECK(reply.thought == "this");
    CHECK(reply.action == "add");
    CHECK(reply.ignored == 2);
    CHECK(read(R"x({x: {"thought": "swallowed", "action": "list()"} and no end)x").action == "list");
}
TEST_CASE("text after the object of an action is ignored, and the reply has a note about it") {
    const std::string object = R"x({"action": "add(1, 2)"})x";
    for (const auto& text : {object + " is what I want", object + "}", object + "\n```\nDone.\nObservation: 3",
                             "{" + object + "}}", object + R"( {"note": 1})"}) {
        const auto reply = read(text);
        INFO(text, "|", reply.error);
        CHECK(reply.action_input == R"({"a":1,"b":2})");
        CHECK(reply.note == "the text behind the JSON object was ignored. Write nothing after that object.");
    }
    for (const auto& text : {object, "So:\n```json\n" + object + "\n```\n", "{ " + object + " }", object + object,
                             object + "\nObservation: 3", std::string(R"x({"action": "finish(3)"} Done.)x")}) {
        INFO(text);
        CHECK(read(text).note.empty());
    }
}
// shows D-11: `finish` ends with an answer
TEST_CASE("finish is the answer with any argument") {
    CHECK(answer(R"x({"action": "finish(\"It is 3.\")"})x") == "It is 3.");
    CHECK(answer(R"x({"action": "finish(answer=18527.424242424244)"})x") == "18527.424242424244");
    CHECK(answer(R"x({"action": "finish(1 + 2)"})x") == "3");
    CHECK(answer(R"x({"action": "finish([1, 'a', None])"})x") == R"([1,"a",null])");
    CHECK(answer(R"x({"action": "finish({'k': (1, 2)})"})x") == R"({"k":[1,2]})");
}
TEST_CASE("a false, empty or zero answer is an answer") {
    CHECK(answer(R"x({"action": "finish(0)"})x") == "0");
    CHECK(answer(R"x({"action": "finish(False)"})x") == "false");
    CHECK(answer(R"x({"action": "finish(\"\")"})x").empty());
    CHECK(answer(R"x({"action": "finish([])"})x") == "[]");
    CHECK(answer(R"x({"action": "finish(None)"})x") == "null");
}
TEST_CASE("finish takes one known answer and no other call") {
    CHECK(error(R"x({"action": "finish()"})x") == "finish lacks the answer: finish(answer=\"...\")");
    CHECK(error(R"x({"action": "finish(result=1)"})x") == "finish lacks the answer: finish(answer=\"...\")");
    CHECK(error(R"x({"action": "finish(answer=1, more=2)"})x").starts_with("finish takes the answer and nothing else"));
    CHECK(error(R"x({"action": "finish(1, 2)"})x").find("finish takes 1 value (answer)") != std::string::npos);
    CHECK(error(R"x({"action": "finish(add(1, 2))"})x") ==
          "finish takes what is known already: call add by itself first, and finish when its observation is there");
    CHECK(error(R"x({"action": "add(1, finish(2))"})x") == "finish ends the task, so it cannot stand among arguments");
}
// shows D-14: every error is the observation of its step
TEST_CASE("an unusable reply makes an error about its closest object") {
    CHECK(error("") == "the reply is empty");
    CHECK(error("  \n ") == "the reply is empty");
    CHECK(error("It is 3.").starts_with("there is no JSON object with an action in it"));
    CHECK(error(R"({"a": 1})") == "the JSON object has no action");
    CHECK(error(R"({"thought": "x"})") == "the JSON object has no action");
    CHECK(error(R"({"action": ""})").find("a call begins with the name of a tool") != std::string::npos);
    CHECK(error(R"({"thought": 1, "action": "list"})") == "the thought must be a text");
    CHECK(error(R"({"action": {"tools": "list"}})").starts_with("the action must be a text with a call in it"));
    CHECK(error(R"({"action": "list)").starts_with("the JSON object cannot be read: the text that begins here is not"));
    CHECK(error(R"x({"action": "finish(answer="hi")"})x").find("a quote inside of text is written \\\"") !=
          std::string::npos);
    CHECK(error(R"x({"k": 1} {"action": "add(x, 2)"} {"action": 5})x")
              .starts_with("the action cannot be read: the name x"));
    CHECK(read(R"x({"thought": "kept", "action": "add(x)"})x").thought == "kept");
}
// shows B-L03: observations that the model invents do not count
TEST_CASE("an invented observation ends the reply") {
    const auto after = read("{\"action\": \"add(1, 2)\"}\n**Observation:** 7\n{\"action\": \"finish(7)\"}");
    CHECK(after.kind == ReplyKind::action);
    CHECK(after.ignored == 0);
    CHECK(after.invented);
    CHECK(after.text == "{\"action\": \"add(1, 2)\"}");

    const auto before = read("Step 1.\n\"Observation\": \"7\"\n{\"action\": \"finish(7)\"}");
    CHECK(before.error.starts_with("an Observation stands where the JSON object should"));
    CHECK(before.text == "Step 1.");

    CHECK(read(R"x({"action": "add(1, 2)", "observation": "7"})x").invented);
    CHECK(answer("{\"action\": \"finish('one\nObservation: two')\"}") == "one\nObservation: two");
}

namespace {
const std::vector<std::string> words = {"{",
                                        "}",
                                        "\"thought\"",
                                        "\"action\"",
                                        "'action'",
                                        ":",
                                        ": ",
                                        ",",
                                        "\"",
                                        "'",
                                        "\\\"",
                                        "add(1, 2)",
                                        "finish(",
                                        "\"add(multiply(1, 2), 3)\"",
                                        "\"finish('x')\"",
                                        "{\"action\": \"list()\"}",
                                        ")",
                                        "(",
                                        "```",
                                        "```json\n",
                                        "\n",
                                        "Observation:",
                                        "\"Observation\": ",
                                        "**",
                                        " ",
                                        "é",
                                        "\xE2\x82",
                                        "\xFF",
                                        "null",
                                        "1",
                                        "[",
                                        "]",
                                        "// x\n",
                                        "{\"thought\": \"t\", \"action\": \"add(a=1, b=",
                                        "\"}",
                                        "a"};
std::string hostile(std::mt19937& random) {
    std::string text;
    for (auto n = random() % 30; n > 0; --n) text += words[random() % words.size()];
    return text;
}
}

TEST_CASE("a function call gives the same result and the same pieces however it is cut") {
    int replies = 0;
    for (unsigned seed = 0; seed < 4000; ++seed) {
        std::mt19937 random(seed);
        const auto text = hostile(random);
        const auto whole = read_function_reply(text, [&] { return text.size(); });
        INFO("seed ", seed, ": ", text);
        REQUIRE(same(whole, read_function_reply(text, [] { return std::size_t{1}; })));
        REQUIRE(same(whole, read_function_reply(text, [&random] { return std::size_t{1 + random() % 7}; })));
        replies += whole.reply.kind != ReplyKind::error;
    }
    CHECK(replies > 200);  // else these texts test nothing
}
TEST_CASE("the pieces of thought and answer of a function call join to its thought and answer") {
    for (unsigned seed = 0; seed < 4000; ++seed) {
        std::mt19937 random(seed);
        const auto text = hostile(random);
        const auto got = read_function_reply(text, [&random] { return std::size_t{1 + random() % 5}; });
        const auto& reply = got.reply;
        INFO("seed ", seed, ": ", text);
        REQUIRE(got.pieces[0] == reply.thought);
        REQUIRE(got.pieces[1] == reply.action);
        REQUIRE(got.pieces[2] == reply.action_input);
        REQUIRE(got.pieces[3] == reply.answer);
    }
}
TEST_CASE("a long hostile text is read in linear time, each character at most sixteen times") {
    for (const std::string piece : {"{",
                                    "{\"a\":",
                                    "{a:",
                                    "{a: 1} ",
                                    "{\"action\": \"",
                                    "{\"action\": \"add(1, 2)\"}",
                                    "{\"a\": \"",
                                    "\"",
                                    "'",
                                    "\n",
                                    "Observation",
                                    "**Observation \n",
                                    "[",
                                    "{a:[",
                                    "\\",
                                    "```\n",
                                    " ",
                                    "{ ",
                                    "{aaaaaaaa",
                                    "\xE2",
                                    "} {a:"})
        for (const std::string start : {"", "{\"action\": \"add(", "{\"thought\": \"x\", \"a\": "}) {
            auto text = start;
            const std::size_t size = 1 << (start.empty() ? 18 : 16);  // the counts show linear time for any size
            while (text.size() < size) text += piece;
            INFO(start, "|", piece);
            const auto got = read_function_reply(text, [] { return std::size_t{4096}; });
            REQUIRE(got.examined <= 16 * text.size());
        }
}
TEST_CASE("a function call without an end is refused at four megabytes") {
    FunctionParser parser(function_parameters);
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 6; ++i) parser.feed(block);
    CHECK(parser.finish().error == "the reply is longer than 4 MB");
}
