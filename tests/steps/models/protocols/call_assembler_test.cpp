// Pieces of calls from servers, ids of calls, and bounds of their number.
#include "steps/models/protocols/parts/call_assembler.hpp"
#include "steps/models/protocols/wire/fault.hpp"
#include <doctest/doctest.h>
using namespace weft::models;

namespace {
using Calls = std::vector<ToolCall>;
using Piece = CallAssembler::Piece;
const std::string e42 = R"({"e":"6*7"})", e48 = R"({"e":"6*8"})", both = e42 + e48;

ToolCall call(std::string id, std::string arguments = "{}") { return {std::move(id), "add", std::move(arguments)}; }
Calls assembled(const std::vector<Piece>& pieces, ChatRequest request = {}) {
    request.tools = {{.name = "add"}, {.name = "list"}};
    CallAssembler assembler(request);
    for (const auto& piece : pieces) assembler.take(piece);
    Calls calls;
    assembler.finish(false, calls);
    return calls;
}
Calls whole(const Calls& calls, const ChatRequest& request = {}) {
    std::vector<Piece> pieces;
    for (const auto& one : calls)
        pieces.push_back({.id = one.id, .name = one.name, .arguments = one.arguments, .whole = true});
    return assembled(pieces, request);
}
}

TEST_CASE("pieces of calls are assembled as their servers intend") {
    struct {
        const char* what;
        std::vector<Piece> pieces;
        Calls calls;
    } const table[] = {
        // ollama/ollama#15457, #15497
        {"one index, two ids", {{0, "a", "add", e42}, {0, "b", "add", e48}}, {call("a", e42), call("b", e48)}},
        {"one index, two empty ids",
         {{0, "", "add", e42}, {0, "", "add", e48}},
         {call("call00000", e42), call("call00001", e48)}},
        {"one index, two ids, arguments behind",
         {{0, "a", "add", ""}, {0, "", "", e42}, {0, "b", "add", ""}, {0, "", "", e48}},
         {call("a", e42), call("b", e48)}},
        {"one index, no id, arguments behind",
         {{0, "", "add", ""}, {0, "", "", e42}, {0, "", "add", ""}, {0, "", "", e48}},
         {call("call00000", e42), call("call00001", e48)}},
        {"one index, no id, two tools without arguments",
         {{0, "", "list", ""}, {0, "", "add", e42}},
         {{"call00000", "list", ""}, call("call00001", e42)}},
        {"one index and one id, two calls",
         {{0, "a", "add", e42}, {0, "a", "add", e48}},
         {call("a", e42), call("call00000", e48)}},
        {"two indexes, one id", {{0, "a", "add", e42}, {1, "a", "add", e48}}, {call("a", e42), call("call00000", e48)}},
        // poolsideai/pool#9, vllm-project/vllm#23522
        {"an id that changes",
         {{0, "a", "add", ""}, {0, "b", "", R"({"e":)"}, {0, "c", "", R"("6*7"})"}},
         {call("a", e42)}},
        {"an id that changes, with the name again",
         {{0, "a", "add", R"({"e":)"}, {0, "b", "add", R"("6*7"})"}},
         {call("a", e42)}},
        {"an id that changes, no index", {{-1, "a", "add", R"({"e":)"}, {-1, "b", "", R"("6*7"})"}}, {call("a", e42)}},
        {"an index that runs on", {{0, "a", "add", R"({"e":)"}, {1, "", "", R"("6*7"})"}}, {call("a", e42)}},
        {"the name in each piece", {{0, "", "add", R"({"e":)"}, {0, "", "add", R"("6*7"})"}}, {call("call00000", e42)}},
        // openai/openai-agents-js#712 (Bedrock behind a proxy)
        {"{} first", {{0, "a", "add", "{}"}, {0, "", "", R"({"e":)"}, {0, "", "", R"("6*7"})"}}, {call("a", e42)}},
        {"{} first, with the name again", {{0, "a", "add", "{}"}, {0, "a", "add", e42}}, {call("a", e42)}},
        {"null first", {{0, "a", "add", "null"}, {0, "", "", e42}}, {call("a", e42)}},
        {"an empty text first", {{0, "a", "add", "\"\""}, {0, "", "", e42}}, {call("a", e42)}},
        {"{} last", {{0, "a", "add", e42}, {0, "", "", "{}"}}, {call("a", e42)}},
        {"nothing but placeholders", {{0, "a", "add", "null"}, {0, "", "", "\"\""}}, {call("a", "{}")}},
        {"{} before broken arguments",
         {{0, "a", "add", "{}"}, {0, "", "", R"({"e": 6*7)"}},
         {call("a", R"({"e": 6*7)")}},
        // vllm-project/vllm#54964
        {"text of text", {{0, "a", "add", R"("{\"e\":\"6*7\"}")"}}, {call("a", e42)}},
        {"text of text of text", {{0, "a", "add", R"("\"{\\\"e\\\":\\\"6*7\\\"}\"")"}}, {call("a", e42)}},
        {"text that is not an object", {{0, "a", "add", "\"6*7\""}}, {call("a", "\"6*7\"")}},
        {"whole once more",
         {{0, "a", "add", R"({"e":)"}, {0, "", "", R"("6*7"})"}, {0, "a", "add", e42}},
         {call("a", e42)}},
        {"whole once more, written otherwise",
         {{0, "a", "add", e42}, {0, "", "", R"({ "e": "6*7" })"}},
         {call("a", e42)}},
        {"each piece the whole so far",
         {{0, "a", "add", R"({"e)"}, {0, "", "", R"({"e":"6)"}, {0, "", "", e42}},
         {call("a", e42)}},
        {"objects in a row", {{0, "a", "add", both}}, {call("a", e42), call("call00000", e48)}},
        {"broken arguments", {{0, "a", "add", R"({"e":NaN} and more)"}}, {call("a", R"({"e":NaN} and more)")}},
        {"a list", {{0, "a", "add", "[1]"}}, {call("a", "[1]")}},
    };
    for (const auto& row : table) CHECK_MESSAGE(assembled(row.pieces) == row.calls, std::string(row.what));
}
TEST_CASE("a call without an id gets one of nine characters that continues the conversation's numbers") {
    const std::vector<Message> messages = {{.role = Role::assistant, .calls = {call("a"), call("b")}}, user("Hi.")};
    CHECK(call_ids::next(messages) == 2);
    CHECK(whole({call(""), call("")}, {.messages = messages}) == Calls{call("call00002"), call("call00003")});
    CHECK(call_ids::make(1234567).size() == 9);
}
TEST_CASE("generated ids continue from the highest one when a conversation was cut") {
    const auto of = [](Calls calls) {
        return call_ids::next({{.role = Role::assistant, .calls = std::move(calls)}, user("Hi.")});
    };
    CHECK(of({call("call00003"), call("call00007"), call("toolu_1")}) == 8);
    CHECK(of({call("call00000"), call("b"), call("c")}) == 3);
    CHECK(of({call("call0000x"), call("call000012"), call("call-0009")}) == 3);
    CHECK(of({call("call99999")}) == 1);
}
TEST_CASE("a generated id differs from the id of every other call") {
    CHECK(whole({call(""), call("call00000")}) == Calls{call("call00001"), call("call00000")});
    CHECK(whole({call("call00000"), call("call00000", "[]")}) == Calls{call("call00000"), call("call00001", "[]")});
}
TEST_CASE("calls that are equal in every byte are one call when they have an id") {
    CHECK(whole({call("a"), call("b"), call("a")}) == Calls{call("a"), call("b")});
    CHECK(whole({call(""), call("")}).size() == 2);
}
TEST_CASE("calls and their arguments are refused when they exceed their bounds") {
    const std::string half(1 << 19, 'x'), many = "asked for more than 128 calls in one reply",
                                          much = "sent more than 1 MiB of arguments for its calls";
    CHECK(whole(Calls(128, call(""))).size() == 128);
    CHECK_THROWS_WITH_AS(whole(Calls(129, call(""))), many.c_str(), Fault);
    CHECK(whole({call("a", half), call("b", half)}).size() == 2);
    CHECK_THROWS_WITH_AS(whole({call("a", half), call("b", half), call("c", "x")}), much.c_str(), Fault);
    std::string many_objects;
    for (int i = 0; i < 129; ++i) many_objects += "{\"e\":" + std::to_string(i) + "}";
    CHECK_THROWS_WITH_AS(whole({call("a", many_objects)}), many.c_str(), Fault);
    CHECK_THROWS_WITH_AS(assembled({{0, "a", "", e42}}), "a call has no name of a tool", Fault);
}
TEST_CASE("an agent's calls are named after their turn, their place in it, and the call that they are an argument of") {
    CHECK(call_ids::of_turn(3) == "call_3");
    CHECK(call_ids::of_turn(3, 2) == "call_3_2");
    CHECK(call_ids::of_inner(call_ids::of_turn(3), 1) == "call_3.1");
}
