// The ids of calls, which of them are kept, and how many there may be.
#include "steps/models/protocols/fault.hpp"
#include "steps/models/protocols/reply_calls.hpp"
#include <doctest/doctest.h>
using namespace weft::models;

namespace {
using Calls = std::vector<ToolCall>;
ToolCall call(std::string id, std::string arguments = "{}") { return {std::move(id), "add", std::move(arguments)}; }
Calls added(const Calls& calls, std::size_t before = 0) {
    Calls all;
    for (const auto& one : calls) reply_calls::add(all, one, before);
    return all;
}
Calls completed(Calls calls, std::size_t before = 0) {
    reply_calls::assign_ids_and_drop_repeats(calls, before);
    return calls;
}
}

TEST_CASE("a call without an id gets one of nine characters that goes on from the conversation") {
    const std::vector<Message> messages = {{.role = Role::assistant, .calls = {call("a"), call("b")}}, user("Hi.")};
    CHECK(call_ids::next(messages) == 2);
    CHECK(added({call(""), call("")}, 2) == Calls{call("call00002"), call("call00003")});
    CHECK(completed({call(""), call("")}, 2) == Calls{call("call00002"), call("call00003")});
    CHECK(call_ids::make(1234567).size() == 9);
}
TEST_CASE("ids that are made up go on from the highest one that is left of a conversation that was cut") {
    const auto of = [](Calls calls) {
        return call_ids::next({{.role = Role::assistant, .calls = std::move(calls)}, user("Hi.")});
    };
    CHECK(of({call("call00003"), call("call00007"), call("toolu_1")}) == 8);
    CHECK(of({call("call00000"), call("b"), call("c")}) == 3);
    CHECK(of({call("call0000x"), call("call000012"), call("call-0009")}) == 3);
    CHECK(of({call("call99999")}) == 1);
    CHECK(added({call("")}, of({call("call00003")})) == Calls{call("call00004")});
}
TEST_CASE("an id that is made up is none that another call has") {
    CHECK(added({call("call00001"), call("")}) == Calls{call("call00001"), call("call00002")});
    CHECK(completed({call(""), call("call00000")}) == Calls{call("call00001"), call("call00000")});
}
TEST_CASE("two calls with one id are refused, also where the id was made up before the server gave it") {
    CHECK_THROWS_WITH_AS(added({call("a"), call("a", "[]")}), "gave two of its calls the same id", Fault);
    CHECK_THROWS_WITH_AS(added({call(""), call("call00000")}), "gave two of its calls the same id", Fault);
    CHECK_THROWS_WITH_AS(completed({call("a"), call("a", "[]")}), "gave two of its calls the same id", Fault);
}
TEST_CASE("of calls that are the same to the last byte one is kept, but only if they have an id") {
    CHECK(completed({call("a"), call("b"), call("a")}) == Calls{call("a"), call("b")});
    CHECK(completed({call(""), call("")}).size() == 2);
    CHECK(reply_calls::is_repeated({call("a")}, call("a")));
    CHECK_FALSE(reply_calls::is_repeated({call("a")}, call("a", "[]")));
    CHECK_FALSE(reply_calls::is_repeated({call("")}, call("")));
}
TEST_CASE("calls and their arguments are bounded, one at a time or all at once") {
    const Calls most(128, call("")), too_many(129, call(""));
    const std::string half(1 << 19, 'x');
    const Calls long_ones = {call("a", half), call("b", half)};
    auto too_long = long_ones;
    too_long.push_back(call("c", "x"));
    const std::string many = "asked for more than 128 calls in one reply";
    const std::string much = "sent more than 1 MiB of arguments for its calls";
    CHECK(added(most).size() == 128);
    CHECK(completed(most).size() == 128);
    CHECK(added(long_ones).size() == 2);
    CHECK(completed(long_ones).size() == 2);
    CHECK_THROWS_WITH_AS(added(too_many), many.c_str(), Fault);
    CHECK_THROWS_WITH_AS(completed(too_many), many.c_str(), Fault);
    CHECK_THROWS_WITH_AS(added(too_long), much.c_str(), Fault);
    CHECK_THROWS_WITH_AS(completed(too_long), much.c_str(), Fault);
}
TEST_CASE("an agent's calls are named after their turn, their place in it, and the call that they are an argument of") {
    CHECK(call_ids::of_turn(3) == "call_3");
    CHECK(call_ids::of_turn(3, 2) == "call_3_2");
    CHECK(call_ids::of_inner(call_ids::of_turn(3), 1) == "call_3.1");
}
