// A server on two pipes.
#include "tests/mcp/server/asking.hpp"
#include "tests/mcp/server/fixtures.hpp"
#include "workflows/hello.hpp"
#include "workflows/mcp/run_offer.hpp"
#include "workflows/mcp/stdio_server.hpp"
#include "workflows/refund.hpp"
#include <fcntl.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

using namespace weft;
using namespace weft::mcp_server;
using nlohmann::json;

namespace {
class Pipes {
public:
    explicit Pipes(StdioOptions options = {}) {
        core.add(offer_run(server::offer(engine, workflows::hello)));
        core.add(offer_run(server::offer(engine, workflows::refund)));
        core.add(testing::fixture("repeat", testing::at_once([](Call& call) {
                                      return text_result(std::string(call.arguments().value("bytes", 0), 'x'));
                                  })));
        REQUIRE(::pipe2(in_, O_CLOEXEC) == 0);
        REQUIRE(::pipe2(out_, O_CLOEXEC) == 0);
        options.input = in_[0];
        options.output = out_[1];
        server_ = std::make_unique<StdioServer>(engine, core, options);
        thread_ = std::thread([this] {
            server_->run();
            ::close(out_[1]);
        });
    }
    ~Pipes() {
        finish();
        thread_.join();
        ::close(in_[0]);
        if (out_[0] >= 0) ::close(out_[0]);
    }
    void finish() {
        if (in_[1] >= 0) ::close(std::exchange(in_[1], -1));
    }
    void send(std::string_view text) { REQUIRE(::write(in_[1], text.data(), text.size()) == ssize_t(text.size())); }
    /// Returns the next line, or an empty text when the server has ended.
    std::string line() {
        std::size_t end = 0;
        while ((end = got_.find('\n')) == got_.npos) {
            char bytes[65536];
            const auto n = ::read(out_[0], bytes, sizeof bytes);
            if (n <= 0) return {};
            got_.append(bytes, std::size_t(n));
        }
        auto text = got_.substr(0, end);
        got_.erase(0, end + 1);
        return text;
    }
    json message() { return json::parse(line()); }
    void stop() { server_->stop(); }

    /// Closes the reading end.
    void stop_reading() { ::close(std::exchange(out_[0], -1)); }
    /// Sends a text up to a number of bytes or until the server stops reading. Returns the number of sent bytes.
    std::size_t flood(std::string_view text, std::size_t most) {
        REQUIRE(::fcntl(in_[1], F_SETFL, O_NONBLOCK) == 0);
        std::size_t sent = 0;
        pollfd ready{in_[1], POLLOUT, 0};
        while (sent < most && ::poll(&ready, 1, 1000) == 1) {
            const auto rest = text.substr(sent % text.size());
            const auto n = ::write(in_[1], rest.data(), rest.size());
            if (n > 0) sent += std::size_t(n);
        }
        return sent;
    }

    Engine engine;
    Core core{CoreOptions()};

private:
    int in_[2] = {-1, -1}, out_[2] = {-1, -1};
    std::string got_;
    std::unique_ptr<StdioServer> server_;
    std::thread thread_;
};
const std::string hello = R"({"jsonrpc":"2.0","method":"initialize","id":0,"params":{"protocolVersion":"2025-06-18",)"
                          R"("capabilities":{"elicitation":{}}}})"
                          "\n";
std::string call(int id, const std::string& params) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":)" + params + "}\n";
}
}

TEST_CASE("clients of both eras use the same pipes, with one message per line") {
    Pipes pipes;
    pipes.send(hello);
    CHECK(pipes.message()["result"]["protocolVersion"] == "2025-06-18");
    pipes.send("\n \r\n" + call(1, R"({"name":"hello","arguments":{"text":"World"}})"));
    CHECK(pipes.message()["result"]["structuredContent"]["text"] == "Hello, World!");
    pipes.send(R"({"jsonrpc":"2.0","id":2,"method":"server/discover","params":{"_meta":)" +
               testing::modern_meta().dump() + "}}\n");
    CHECK(pipes.message()["result"]["supportedVersions"] == json::array({"2026-07-28"}));
}
TEST_CASE("a notification gets no answer when something is wrong with it") {
    Pipes pipes;
    pipes.send(hello);
    pipes.message();
    for (const char* wrong :
         {R"({"jsonrpc":"2.0","method":"notifications/initialized","params":null})",
          R"({"jsonrpc":"2.0","id":null,"method":"notifications/initialized"})",
          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]})",
          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":7})", R"({"jsonrpc":"1.0","method":"told"})",
          R"({"method":"told"})", R"({"jsonrpc":"2.0","method":"a","method":"b"})",
          R"({"jsonrpc":"2.0","method":"notifications/initialized",)"})
        pipes.send(std::string(wrong) + '\n');
    pipes.send(R"({"jsonrpc":"2.0","id":9,"method":"ping","params":null})"
               "\n");
    CHECK(pipes.message()["id"] == 9);
}
TEST_CASE("a call with PHP's empty objects runs, and its questions follow the client's capabilities") {
    Pipes pipes;
    pipes.send(R"({"jsonrpc":"2.0","method":"initialize","id":0,"params":{"protocolVersion":"2025-06-18",)"
               R"("capabilities":{"elicitation":[]},"clientInfo":[]}})"
               "\n");
    CHECK(pipes.message().contains("result"));
    pipes.send(call(1, R"({"name":"repeat","arguments":[],"_meta":[]})"));
    CHECK(pipes.message()["result"]["content"][0]["text"] == "");
    pipes.send(call(2, R"({"name":"refund","arguments":{"order":"A-17","amount":120}})"));
    CHECK(pipes.message()["method"] == "elicitation/create");
}
TEST_CASE("half a surrogate pair in an argument becomes U+FFFD, and an answer has no line separator") {
    Pipes pipes;
    pipes.send(hello);
    pipes.message();
    pipes.send(call(7, R"({"name":"hello","arguments":{"text":"a\ud83d \u2028b"}})"));
    const auto line = pipes.line();
    CHECK(line.find("\xE2\x80\xA8") == line.npos);
    const auto answer = json::parse(line);
    CHECK(answer["id"] == 7);
    CHECK(answer["result"]["structuredContent"]["text"] == std::string("Hello, a\xEF\xBF\xBD \xE2\x80\xA8") + "b!");
    CHECK(answer["result"]["content"][0]["text"].get<std::string>().find("\\u2028b!") != std::string::npos);
}
TEST_CASE("an unreadable request is answered with its own id when the id is readable") {
    Pipes pipes;
    const auto answered = [&](const std::string& line) {
        pipes.send(line + "\n");
        return pipes.message();
    };
    const std::string deep = std::string(100, '[') + std::string(100, ']');
    for (const auto& line : {R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":)" + deep + "}}",
                             R"({"method":"tools/call","params":{"a":)" + deep + R"(},"jsonrpc":"2.0","id":7})",
                             std::string(R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1,"a":2}})"),
                             std::string(R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":NaN}})")}) {
        CAPTURE(line);
        const auto answer = answered(line);
        CHECK(answer["id"] == 7);
        CHECK(answer["error"]["code"] == rpc::code::not_json);
    }
    CHECK(answered(R"({"params":{"id":7,"a":NaN},"method":"ping"})")["id"].is_null());
    CHECK(answered("hello")["id"].is_null());
}
TEST_CASE("a client must agree on a version first, and noise is reported as noise") {
    Pipes pipes;
    pipes.send(call(1, R"({"name":"hello"})"));
    CHECK(pipes.message()["error"]["code"] == rpc::code::no_request);
    pipes.send("hello\n[]\n{\"jsonrpc\":\"2.0\"}\n");
    CHECK(pipes.message()["error"]["code"] == rpc::code::not_json);
    CHECK(pipes.message()["error"]["code"] == rpc::code::no_request);
    CHECK(pipes.message()["error"]["code"] == rpc::code::no_request);
    pipes.send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})"
               "\n");
    CHECK(pipes.message()["result"] == json::object());
}
TEST_CASE("lines beyond the size of a pipe arrive whole, and an overlong line fails alone") {
    Pipes pipes({.longest_line = 1000});
    pipes.send(hello);
    pipes.message();
    pipes.send(call(1, R"({"name":"repeat","arguments":{"bytes":1000000}})"));
    CHECK(pipes.message()["result"]["content"][0]["text"].get<std::string>().size() == 1'000'000);
    pipes.send(std::string(5000, 'x') + "\n" + call(2, R"({"name":"repeat","arguments":{"bytes":1}})"));
    CHECK(pipes.message()["error"]["code"] == rpc::code::no_request);
    CHECK(pipes.message()["result"]["content"][0]["text"] == "x");
}
TEST_CASE("a question is a request on the same pipe, and other calls continue meanwhile") {
    Pipes pipes;
    pipes.send(hello);
    pipes.message();
    pipes.send(call(1, R"({"name":"refund","arguments":{"order":"A-17","amount":120}})"));
    const auto asked = pipes.message();
    CHECK(asked["method"] == "elicitation/create");
    pipes.send(call(2, R"({"name":"hello","arguments":{"text":"you"}})"));
    CHECK(pipes.message()["id"] == 2);
    pipes.send(json{{"jsonrpc", "2.0"},
                    {"id", asked["id"]},
                    {"result", {{"action", "accept"}, {"content", {{"granted", true}}}}}}
                   .dump() +
               "\n");
    CHECK(pipes.message()["result"]["structuredContent"]["granted"] == true);
}
TEST_CASE("a cancelled call gives no response") {
    Pipes pipes;
    pipes.send(hello);
    pipes.message();
    pipes.send(call(1, R"({"name":"refund","arguments":{"order":"A-17","amount":120}})"));
    pipes.message();
    pipes.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"
               "\n");
    CHECK(pipes.message()["method"] == "notifications/cancelled");  // of its question
    pipes.send(call(2, R"({"name":"hello","arguments":{"text":"again"}})"));
    CHECK(pipes.message()["result"]["structuredContent"]["text"] == "Hello, again!");
}
TEST_CASE("a wrong response fails its question, and gets no answer") {
    Pipes pipes;
    pipes.send(hello);
    pipes.message();
    pipes.send(call(1, R"({"name":"refund","arguments":{"order":"A-17","amount":120}})"));
    const auto asked = pipes.message();
    pipes.send("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":null}\n");  // of no question
    pipes.send(json{{"jsonrpc", "2.0"}, {"id", asked["id"]}, {"result", nullptr}}.dump() + "\n");
    const auto answer = pipes.message();
    CHECK(answer["id"] == 1);
    CHECK(answer["result"]["isError"] == true);
}
TEST_CASE("the server stops reading requests of a client that does not read its answers") {
    Pipes pipes({.grace = std::chrono::milliseconds(1)});
    const auto ping = R"({"jsonrpc":"2.0","method":"ping","id":")" + std::string(1000, 'x') + "\"}\n";
    constexpr std::size_t most = 48u << 20;
    CHECK(pipes.flood(ping, most) < most);
    pipes.stop_reading();
}
TEST_CASE("a vanished client ends only the server") {
    Pipes pipes;
    pipes.stop_reading();
    pipes.send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})"
               "\n");
}
TEST_CASE("the server answers pending requests at the end of its input, and ends; the last line needs no newline") {
    Pipes pipes;
    auto last = call(1, R"({"name":"hello","arguments":{"text":"World"}})");
    last.pop_back();
    pipes.send(hello + last);
    pipes.finish();
    pipes.message();
    CHECK(pipes.message()["id"] == 1);
    CHECK(pipes.line().empty());
}
TEST_CASE("a stopped server ends, also while a call waits") {
    Pipes pipes;
    pipes.send(hello);
    pipes.message();
    pipes.send(call(1, R"({"name":"refund","arguments":{"order":"A-17","amount":120}})"));
    pipes.message();
    pipes.stop();
    while (!pipes.line().empty()) {}
    CHECK(pipes.line().empty());
}
