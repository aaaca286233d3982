// Objects in a model's prose: the found object, errors about others, and linear time.
#include "steps/agents/text/json_in_text.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using nlohmann::json;
using weft::agents::find_json;
using weft::agents::JsonInText;
using weft::agents::ObjectFinder;

namespace {
/// Returns the value of "n" in the first object that has it, else the error.
std::string find_n(std::string_view text) {
    std::string n;
    const auto found = find_json(text, [&n](const json& object) {
        if (!object.contains("n")) return "there is no n";
        n = object["n"].dump();
        return "";
    });
    return found.ok() ? n : found.error;
}
JsonInText look(std::string_view text) {
    return find_json(text, [](const json&) { return "not this one"; });
}
std::string many(std::string_view part, std::size_t bytes) {
    std::string out;
    while (out.size() < bytes) out += part;
    out.resize(bytes);
    return out;
}
}

// shows A-13: the action is found in the text around it
// shows B-A14: an object is found in any surrounding text
TEST_CASE("an object is found in prose, in a fence, and as the whole reply") {
    CHECK(find_n(R"({"n": 1})") == "1");
    CHECK(find_n("Here it is:\n```json\n{\"n\": 1}\n```\nDone.") == "1");
    CHECK(find_n("I choose {\"n\": 1}, because it is right.") == "1");
    CHECK(find_n("`{'n': 1,}`") == "1");
    CHECK(find_n("{\"n\": 1 // the first\n}") == "1");
    CHECK(find_n("{\"n\": 1 /* a } brace */}") == "1");
    CHECK(find_n("{ // the answer\n\"n\": 1}") == "1");
}
TEST_CASE("braces in prose, in strings and in comments do not end or begin the object") {
    CHECK(find_n("A set {1, 2} and {see below}: {\"n\": \"a } b\"}") == R"("a } b")");
    CHECK(find_n(R"(Use { to open. {"n": "it's \" {"} } done)") == R"("it's \" {")");
    CHECK(find_n(R"({"text": "{\"n\": 1}", "n": 2})") == "2");
    CHECK(find_n(R"({"text": "{'n': 1}"})") == "there is no n");
    CHECK(find_n(R"(if (x) { y(); } else { "unclosed
{"n": 3})") == "3");
}
TEST_CASE("an object is found when its first name has an escaped quote") {
    CHECK(find_n(R"({"a \"b\": c": 0, "n": 1})") == "1");
    CHECK(find_n(R"({'it\'s': 0, 'n': 1})") == "1");
    CHECK(find_n(R"(prose {"not closed\": 0, and {"n": 1})") == "1");
    CHECK(find_n("{\"\\") == "there is no JSON object in the reply");
}
TEST_CASE("the first matching object wins among several, and an outer one before its inner ones") {
    CHECK(find_n(R"({"n": 1} {"n": 2})") == "1");
    CHECK(find_n(R"({"draft": true} and then {"n": 2})") == "2");
    CHECK(find_n(R"({"n": 1, "m": {"n": 2}})") == "1");
    CHECK(find_n(R"({"action": {"n": 2}})") == "2");
    CHECK(find_n(R"({"actions": [{"m": 1}, {"n": 2}]})") == "2");
    CHECK(find_n(R"({"n": 1, "n": 2} is wrong, {"n": 3} is right)") == "3");
}
TEST_CASE("the finder returns each object in order, also an unreadable one") {
    const std::string_view text = R"(A {set}: {"a": 1}, {b: } and {} {"c": {"d": "{"}} {"e": )";
    ObjectFinder finder(text);
    std::vector<std::string> found;
    for (auto object = finder.next(); object; object = finder.next()) {
        CHECK(text[object->begin] == '{');
        CHECK(object->ok() == !object->json.empty());
        CHECK(object->is_unclosed == (found.size() == 4));
        found.push_back(object->ok() ? object->json : "an error");
    }
    CHECK(found == std::vector<std::string>{R"({"a":1})", "an error", "{}", R"({"c":{"d":"{"}})", "an error"});
    CHECK(!finder.next());
}
// shows A-14: a faulty action has three tries, each with the mistake in the prompt
// shows B-A15: decompositions and summaries are read and retried like actions
TEST_CASE("an error describes the closest object") {
    CHECK(find_n("") == "the reply is empty");
    CHECK(find_n(" \n") == "the reply is empty");
    CHECK(find_n("forty-two") == "there is no JSON object in the reply");
    CHECK(find_n("{see below}") == "there is no JSON object in the reply");
    CHECK(find_n(R"({"n": 1)") == "the JSON object is not closed");
    CHECK(find_n(R"({"m": 1} {"n": })").starts_with("there is no n"));
    CHECK(find_n(R"({"n": })").starts_with("the JSON object is broken: a value is expected here"));
    CHECK(find_n("{\"n\": \"\xFF\"}").find("not valid UTF-8") != std::string::npos);
}
TEST_CASE("an object with all quotes escaped is refused with the cure, and one beside it is found") {
    const auto cure = R"(the quotes of the JSON object are escaped; write " in place of \")";
    CHECK(find_n(R"({\"n\": 1})") == cure);
    CHECK(find_n(R"("{\"n\": 1}")") == cure);
    CHECK(find_n(R"({\"n\": 1} is {"n": 2})") == "2");
    CHECK(find_n(R"({\"n\": 1} {"m": 2})") == "there is no n");
}
TEST_CASE("deep and broken nests are refused, and an object after them is found") {
    const auto deep = many("{\"a\":", 5 * 300);
    CHECK(find_n(deep + "1" + std::string(300, '}') + R"({"n": 4})") == "4");
    CHECK(find_n(deep + "1" + std::string(300, '}')) == "the JSON object has more than 64 levels of brackets");
    CHECK(find_n("{\"a\": [}" + std::string(R"({"n": 5})")) == "5");
    CHECK(find_n("}}}]]]" + std::string(R"({"n": 6})")) == "6");
}
TEST_CASE("a megabyte of any text is read in linear time, and more is refused") {
    constexpr std::size_t megabyte = 1 << 20;
    for (const auto* part :
         {"{", "}", "{\"", "{\"a\":", "{\"a\":1}", "{'", "{/*", "{#", "{a:", "[{", "\"{", "{ ", "{}"}) {
        const auto found = look(many(part, megabyte));
        INFO(part);
        CHECK(!found.ok());
        CHECK(found.examined < 40 * megabyte);
    }
    CHECK(look(many("{", megabyte + 1)).error == "the reply is longer than 1 MB");
    CHECK(look("{" + std::string(megabyte - 10, ' ')).examined < 40 * megabyte);
}
