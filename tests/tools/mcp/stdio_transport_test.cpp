// Messages through the pipes of a process with any behaviour.
#include "tests/tools/mcp/hostile.hpp"
#include "tools/mcp/protocol/answer_id.hpp"
#include <algorithm>
#include <boost/asio/detached.hpp>
using namespace test;
using Strings = std::vector<std::string>;

namespace {
bool has(const Strings& all, const std::string& one) { return std::ranges::find(all, one) != all.end(); }
bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
}

TEST_CASE("an answer reaches its request, also byte by byte, after CRLF, a BOM, noise and notifications") {
    for (const char* way : {"polite", "split", "crlf", "bom", "noise", "stderr", "huge_line", "changed_before"}) {
        CAPTURE(way);
        Line line(way);
        CHECK(line.call("one") == "one");
        CHECK(line.call("two") == "two");
        line.close();
        CHECK(line.heard.ends.empty());
    }
    CHECK(comes_true(is_childless));
}
TEST_CASE("an invalid message is ignored as noise, and a blank line is not noise") {
    Line line("noise");
    line.call();
    const Strings expected{"Secure MCP server running on stdio",
                           "[1, 2]",
                           "\"text\"",
                           "17",
                           "{\"level\": 30, \"id\": 1, \"msg\": \"got it\"}",
                           "{not json",
                           "\xff\xfe"};
    CHECK(line.heard.noises == expected);
    CHECK(line.transport.odd_line() == expected[0]);
}
TEST_CASE("answers in any order reach their callers") {
    Line line("reversed");
    const auto one = line.begin(a_call(1, "one")), two = line.begin(a_call(2, "two")),
               three = line.begin(a_call(3, "three"));
    REQUIRE(line.bench.until([&] { return one->has_value() && two->has_value() && three->has_value(); }));
    CHECK(**one == "one");
    CHECK(**two == "two");
    CHECK(**three == "three");
}
TEST_CASE("an answered caller may close the session while more answers follow") {
    Line line("reversed");
    const auto first = line.begin(a_call(1, "one")), second = line.begin(a_call(2, "two"));
    const auto last = line.bench.begin([](Line& l) -> awaitable<std::string> {
        auto asking = said(l.transport, a_call(3, "three"));
        auto answer = co_await std::move(asking);
        auto closing = l.transport.close();
        co_await std::move(closing);
        co_return answer;
    }(line));
    REQUIRE(line.bench.until([&] {
        line.bench.clock.advance(100ms);
        return first->has_value() && second->has_value() && last->has_value();
    }));
    CHECK(**last == "three");  // answered first
    CHECK(contains(**first, "was closed"));
    CHECK_FALSE(line.transport.is_open());
}
TEST_CASE("an answer is dropped when it has another id, no id, or is repeated") {
    Line line("strangers");
    CHECK(line.call("real") == "real");
    CHECK(line.heard.noises.size() == 5);

    Line twice("twice");
    CHECK(twice.call("one") == "one");
    CHECK(twice.call("two") == "two");
    REQUIRE(twice.bench.until([&] { return twice.heard.noises.size() == 2; }));
}
TEST_CASE("an id as text or with a zero fraction is the id of its request") {
    for (const char* way : {"text_ids", "real_ids"}) {
        CAPTURE(way);
        Line line(way);
        CHECK(line.call("one") == "one");
        CHECK(line.call("two") == "two");
    }
}
TEST_CASE("two requests of one id cannot wait at once") {
    Line line("silence");
    const auto first = line.begin(a_call(1));
    line.bench.settle();
    std::string refusal;
    spawn(line.bench.runtime, said(line.transport, a_call(1)), [&](std::exception_ptr error, std::string) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const Error& e) { refusal = e.what(); }
    });
    line.bench.settle();
    CHECK(contains(refusal, "a request with the id 1 waits already"));
}
TEST_CASE("an abandoned request is cancelled on the server by its id, and its late answer is noise") {
    Line line("silence");
    bool late = false;
    spawn(
        line.bench.runtime,
        [](Line& l, bool& timed_out) -> awaitable<void> {
            auto asking = said(l.transport, a_call(41));
            try {
                co_await with_timeout(60s, std::move(asking));
            } catch (const Error& error) { timed_out = error.code() == Code::timed_out; }
        }(line, late),
        asio::detached);
    line.bench.settle();
    line.bench.clock.advance(60s);
    REQUIRE(line.bench.until([&] { return late && line.heard.notifications.size() == 1; }));
    CHECK(line.heard.notifications[0].params["heard"]["requestId"] == 41);
    CHECK(contains(line.ask({.id = std::int64_t(1), .method = "other"}), "no such method: other"));
}
TEST_CASE("a request without cancellation is given up without a message") {
    Line line("silence");
    bool late = false;
    spawn(
        line.bench.runtime,
        [](Line& l, bool& timed_out) -> awaitable<void> {
            auto asking = said(l.transport, a_call(41), true);
            try {
                co_await with_timeout(60s, std::move(asking));
            } catch (const Error&) { timed_out = true; }
        }(line, late),
        asio::detached);
    line.bench.settle();
    line.bench.clock.advance(60s);
    REQUIRE(line.bench.until([&] { return late; }));
    CHECK(contains(line.ask({.id = std::int64_t(1), .method = "other"}), "no such method: other"));
    CHECK(line.heard.notifications.empty());
}
TEST_CASE("an answer beyond the bound fails its call by its length, whether its id stands before or behind it") {
    for (const char* words : {"id_before", "id_behind"}) {
        Line line("big");
        const auto sentence = line.call(words);
        CHECK(contains(sentence, "the MCP server \"bad\" sent an answer of 500000"));
        CHECK(contains(sentence, "at most 16777216 are read"));
        CHECK(line.transport.is_open());
    }
}
TEST_CASE("an invalid answer fails its call and no other") {
    Line line("no_result");
    CHECK(contains(line.call(), "sent an answer that is not a message: a result has to be an object"));
    CHECK(line.transport.is_open());
}
TEST_CASE("requests of a server are separate from the client's, and can be answered") {
    Line line("asks");
    const auto answer = line.begin(a_call(1, "asked"));
    REQUIRE(line.bench.until([&] { return line.heard.requests.size() == 2; }));
    CHECK(line.heard.requests[0].method == "roots/list");
    CHECK(line.heard.requests[0].id == mcp::Id(std::int64_t(1)));
    CHECK(line.heard.requests[1].id == mcp::Id("mine"));
    for (const auto& request : line.heard.requests)
        spawn(line.bench.runtime, line.transport.answer(mcp::success(request.id, {})), asio::detached);
    REQUIRE(line.bench.until([&] { return answer->has_value(); }));
    CHECK(**answer == "asked");
}
TEST_CASE("a crash in a call fails it immediately, with how it ended, its last words, and no secret") {
    auto settings = hostile("crash");
    settings.program.environment["TOKEN"] = "very-secret-token";
    settings.secrets = {"no memory"};
    Line line(settings);
    CHECK(line.call() == "thrown: the MCP server \"bad\" has ended: it exited with code 3; its standard error says: "
                         "\"fatal: ***, token ***\"");
    CHECK(line.heard.ends.size() == 1);
    CHECK(has(line.heard.noises, "loading the index"));
    CHECK_FALSE(line.transport.is_open());
    CHECK(contains(line.call(), "is not running"));
    CHECK(is_childless());
}
TEST_CASE("all waiting requests fail when a process ends, also by a signal") {
    Line line("segv");
    const auto first = line.begin({.id = "a", .method = "tools/list"}), second = line.begin(a_call(1)),
               third = line.begin(a_call(2));
    REQUIRE(line.bench.until([&] { return second->has_value() && third->has_value(); }));
    CHECK(contains(**second, "was ended by signal 11 (Segmentation fault)"));
    CHECK(**third == **second);
}
TEST_CASE("a server ends with its process although a helper process keeps the pipes open") {
    Line line("crash_with_helper");
    const auto answer = line.begin(a_call(1));
    REQUIRE(line.bench.until([&] {
        line.bench.clock.advance(10ms);
        return answer->has_value();
    }));
    CHECK(contains(**answer, "exited with code 4"));
    CHECK(comes_true(is_childless));
}
TEST_CASE("a server ends when it closes its output or its input, and its process is ended too") {
    for (const char* way : {"closes_output", "closes_input"}) {
        CAPTURE(way);
        Line line(way);
        const auto first = line.begin(a_call(1));
        std::shared_ptr<std::optional<std::string>> second;
        REQUIRE(line.bench.until([&] {
            line.bench.clock.advance(10ms);
            if (first->has_value() && !second) second = line.begin(a_call(2));
            return second && second->has_value();
        }));
        CHECK(contains(**second, way == std::string("closes_output") ? "is not running" : "has closed its pipes"));
        CHECK_FALSE(line.transport.is_open());
        CHECK(comes_true(is_childless));
    }
}
TEST_CASE("an answer without a newline before the end is read as an answer") {
    Line line("no_newline");
    CHECK(line.call("the last") == "the last");
    REQUIRE(line.bench.until([&] { return line.heard.ends.size() == 1; }));
    CHECK(contains(line.heard.ends[0], "exited with code 0"));
}
TEST_CASE("an ended server is started again after growing pauses, which are short again after an answer") {
    auto settings = hostile("crash");
    Line line(settings);
    const auto wait_of_open = [&] {
        const auto opening = line.begin_open();
        int waited = 0;
        REQUIRE(line.bench.until([&] {
            line.bench.settle();
            if (opening->has_value()) return true;
            line.bench.clock.advance(100ms);
            waited += 100;
            return false;
        }));
        return waited;
    };
    const auto crash = [&] { CHECK(contains(line.call(), "exited with code 3")); };
    std::vector<int> waits;
    for (int i = 0; i < 7; ++i) {
        crash();
        waits.push_back(wait_of_open());
    }
    CHECK(waits == std::vector<int>{500, 1000, 2000, 4000, 8000, 10000, 10000});

    line.ask({.id = std::int64_t(1000), .method = "initialize"});
    crash();
    CHECK(wait_of_open() == 500);
    crash();
    line.open(true);  // its end was expected
}
TEST_CASE("a time without requests counts for the pause") {
    Line line("crash");
    line.call();
    line.bench.clock.advance(500ms);
    line.open();
    CHECK(line.transport.is_open());
}
TEST_CASE("a server ignoring the end of its input and SIGTERM is killed by close()") {
    Line line("ignores_sigterm");
    CHECK(line.call() == "hello");
    const auto waiting = line.begin({.id = "q", .method = "never"});
    line.close();
    CHECK_FALSE(line.transport.is_open());
    CHECK(line.heard.ends.empty());
    CHECK(comes_true(is_childless));
    line.open();  // without a pause, because it did not end by itself
    CHECK(line.call() == "hello");
}
TEST_CASE("a transport destroyed while requests wait leaves no process") {
    {
        Line line("silence");
        line.begin(a_call(1));
        line.bench.settle();
    }
    CHECK(comes_true(is_childless));
}
TEST_CASE("a missing program is reported with the server's name, and can be opened when it exists") {
    Bench bench;
    Heard heard;
    mcp::StdioTransport transport({.server = "files", .program = {.command = "weft_no_such_program"}});
    std::string sentence;
    spawn(bench.runtime, transport.open(heard), [&](std::exception_ptr error) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const mcp::TransportError& e) {
            if (e.trouble() == mcp::TransportFailure::unreachable) sentence = e.what();
        }
    });
    bench.settle();
    CHECK(sentence.starts_with("the MCP server \"files\": the program \"weft_no_such_program\" cannot be started"));
    CHECK_FALSE(transport.is_open());
}
TEST_CASE("lines far beyond a pipe's size reach a server whole") {
    Line line("polite");
    const std::string text(2'000'000, 'x');
    CHECK(line.call(text) == text);
}
TEST_CASE("an answer's id is read from its begin or its end, and never from a nested part") {
    const auto id = [](std::string_view begin, std::string_view end = "") {
        const auto found = mcp::id_of_answer(begin, end);
        return found ? mcp::text_of(*found) : "none";
    };
    CHECK(id(R"({"jsonrpc":"2.0","id":7,"result":{)") == "7");
    CHECK(id(R"( { "id" : -7 , "jsonrpc" : "2.0" , "error" : {)") == "-7");
    CHECK(id(R"({"jsonrpc":"2.0","id":"a","result":{)") == "\"a\"");
    CHECK(id(R"({"result":{)", R"(]},"jsonrpc":"2.0","id":7})") == "7");
    CHECK(id(R"({"jsonrpc":"2.0","result":{)", R"("},"id":"x"} )") == "\"x\"");
    CHECK(id(R"({"result":{)", R"(]},"id":7,"jsonrpc":"2.0"})") == "7");
    CHECK(id(R"({"jsonrpc":"2.0","id":7,"method":"x","params":{)") == "none");  // a request from the server
    CHECK(id(R"({"result":{)", R"(,"id":7}})") == "none");
    CHECK(id(R"({"result":{)", R"(,\"id\":7})") == "none");
    CHECK(id(R"({"level":30,"id":7,"msg":)", R"(,"id":7})") == "none");
    CHECK(id(R"({"jsonrpc":"2.0","id":7.5,"result":{)") == "none");
    CHECK(id(R"({"jsonrpc":"2.0","id":99999999999999999999,"result":{)") == "none");
}
