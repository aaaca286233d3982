// The client with a misbehaving server, through real pipes and in virtual time.
#include "engine/text/hidden.hpp"
#include "tests/tools/mcp/hostile.hpp"
#include "tools/mcp/client/client.hpp"
#include <boost/asio/detached.hpp>
using namespace test;
using Strings = std::vector<std::string>;

namespace {
bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
awaitable<std::string> text_or_error(mcp::Client& client, std::string words) {
    mcp::CallToolParams call{.tool = "echo", .arguments = {{"text", words}}};
    mcp::CallOptions options;
    auto calling = client.call(std::move(call), std::move(options));
    try {
        const auto result = co_await std::move(calling);
        co_return result.content.at(0).at("text").get<std::string>();
    } catch (const Error& error) { co_return "thrown: " + std::string(error.what()); }
}
awaitable<std::string> connect_error(mcp::Client& client) {
    auto connecting = client.connect();
    try {
        co_await std::move(connecting);
        co_return "";
    } catch (const Error& error) { co_return error.what(); }
}
struct Talk {
    explicit Talk(const std::string& way) : Talk(hostile(way)) {}
    explicit Talk(mcp::StdioSettings settings, mcp::ClientOptions options = {})
        : client(std::make_unique<mcp::StdioTransport>(std::move(settings)), std::move(options)) {}
    // Advances the time step by step, up to `most`.
    template <class T> T wait_for(awaitable<T> work, Duration step = {}, Duration most = 1h) {
        const auto result = bench.begin(std::move(work));
        REQUIRE(bench.until([&] {
            bench.clock.advance(std::min(step, most));
            most -= std::min(step, most);
            return result->has_value();
        }));
        return std::move(**result);
    }
    std::string call(const std::string& words = "hello", Duration step = {}, Duration most = 1h) {
        return wait_for(text_or_error(client, words), step, most);
    }
    std::shared_ptr<const mcp::ToolList> tools() { return wait_for(client.tools()); }
    Strings names() {
        Strings names;
        for (const auto& tool : tools()->tools) names.push_back(tool.name);
        return names;
    }
    bool notes(std::string_view words) {
        for (const auto& note : tools()->notes)
            if (contains(note, words)) return true;
        return false;
    }
    Bench bench;
    mcp::Client client;
};
}

TEST_CASE("a client gets its tools and its answer from servers with noise, unknown messages and odd lines") {
    for (const char* way :
         {"polite", "noise", "twice", "strangers", "crlf", "bom", "split", "stderr", "huge_line", "changed_before"}) {
        CAPTURE(way);
        Talk talk(way);
        CHECK(talk.names() == Strings{"echo"});
        CHECK(talk.call("one") == "one");
        CHECK(talk.call("two") == "two");
    }
    CHECK(comes_true(is_childless));
}
TEST_CASE("a server ending on an unknown message is started again immediately for the older handshake") {
    Talk talk("dies_of_strangers");
    CHECK(talk.call() == "hello");
    CHECK(talk.client.era() == mcp::ServerEra::legacy);
}
TEST_CASE("a start of a silent server fails after its time") {
    Talk talk("mute");
    const auto error = talk.wait_for(connect_error(talk.client), 1s);
    CHECK(contains(error, "the MCP server \"bad\""));
    CHECK(comes_true(is_childless));
}
TEST_CASE("a call without an answer ends after its time, and the server takes further calls") {
    Talk talk("silence");
    CHECK(talk.names() == Strings{"echo"});
    CHECK(contains(talk.call("hello", 1s), "gave no result within 60 s"));
    CHECK(talk.names() == Strings{"echo"});
}
TEST_CASE("the next call restarts a server that has ended during a call, and no call is repeated") {
    const Folder folder;
    auto settings = hostile("crashes_once");
    settings.program.environment["CALLS"] = folder.path("calls");
    Talk talk(settings);
    CHECK(talk.call("one") == "one");
    CHECK(contains(talk.call("crash"), "exited with code 3"));
    CHECK(talk.call("two", 100ms, 500ms) == "two");
    CHECK(folder.read("calls") == "one\ncrash\ntwo\n");
}
TEST_CASE("an answer of 50 MB fails only its call") {
    Talk talk("big");
    CHECK(contains(talk.call(), "sent an answer of 500000"));
    CHECK(talk.call("small") == "small");
}
TEST_CASE("a description changed during a call has another fingerprint") {
    Talk talk("changing");
    const auto before = talk.tools();
    CHECK(talk.call() == "hello");
    const auto after = talk.tools();
    REQUIRE(before->find("echo"));
    REQUIRE(after->find("echo"));
    CHECK(before->find("echo")->description != after->find("echo")->description);
    CHECK(before->find("echo")->fingerprint != after->find("echo")->fingerprint);
}
TEST_CASE("a client's texts about a server have no escapes, marks of direction or hidden characters") {
    Talk talk("escapes");
    const auto list = talk.tools();
    Strings texts{talk.client.instructions(), talk.call("fail")};
    for (const auto& tool : list->tools)
        for (const auto& text : {tool.name, tool.title, tool.description}) texts.push_back(text);
    for (const auto& note : list->notes) texts.push_back(note);
    for (const auto& text : texts) {
        CAPTURE(text);
        for (const char* bad : {"\x1b", "\x07", "\u202e", "\u2069", "\u200b", "\u2060", "\U000e0041", "\u009b"})
            CHECK_FALSE(contains(text, bad));
    }
    CHECK(contains(talk.client.instructions(), "red"));
    REQUIRE(list->find("echo"));
    CHECK(list->tools.size() == 1);
}
TEST_CASE("a server's messages are shown without the secrets that it was given") {
    auto settings = hostile("repeats_secrets");
    settings.program.environment["API_KEY"] = "s3cret/value";
    settings.secrets = {"s3cret/value"};
    Strings noises;
    mcp::ClientOptions options;
    options.noise = [&](std::string_view line) { noises.emplace_back(line); };
    Talk talk(settings, std::move(options));
    CHECK(talk.call() == "key ***");
    CHECK(contains(talk.call("fail"), "refused the tool \"echo\": not *** (code 1)"));
    CHECK(noises == Strings{"loaded ***", "loaded ***"});
}
TEST_CASE("a tool with a schema that refers to a file or a page is left out, and the others stay") {
    Talk talk("ref");
    CHECK(talk.names() == Strings{"echo"});
    CHECK(talk.notes("\"file\""));
    CHECK(talk.notes("\"url\""));
}
TEST_CASE("endless lists, repeated cursors and too many tools are cut with a note") {
    Talk endless("endless_pages");
    CHECK(endless.names().size() == 100);
    CHECK(endless.notes("more pages than 100"));

    Talk circle("same_cursor");
    CHECK(circle.names() == Strings{"echo"});

    Talk many("many_tools");
    CHECK(many.names().size() == 1000);
    CHECK(many.notes("more than 1000 tools"));
}
TEST_CASE("invalid entries of a list are left out, and two entries of one name count as one") {
    Talk wrong("wrong_shapes");
    CHECK(wrong.names() == Strings{"no_schema", "echo"});  // a tool without a schema accepts any arguments
    CHECK(wrong.notes("text"));

    Talk same("same_names");
    CHECK(same.names() == Strings{"echo"});
    CHECK(same.tools()->tools[0].description == "Says it again.");
    CHECK(same.notes("twice"));
}
TEST_CASE("an overly deep schema drops only its tool") {
    Talk talk("deep");
    CHECK(talk.names() == Strings{"echo"});
    CHECK(talk.notes("more than 64 levels"));
    CHECK(talk.call() == "hello");
}
TEST_CASE("a server ignoring the end of its input and SIGTERM is killed when its client is closed") {
    for (const char* way : {"ignores_sigterm", "ignores_end", "silence"}) {
        CAPTURE(way);
        Talk talk(way);
        talk.names();
        const auto closed = [](mcp::Client& client) -> awaitable<bool> {
            auto closing = client.close();
            co_await std::move(closing);
            co_return true;
        };
        CHECK(talk.wait_for(closed(talk.client), 100ms));
        CHECK(comes_true(is_childless));
    }
}
