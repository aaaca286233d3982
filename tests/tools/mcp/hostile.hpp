// The misbehaving server (tests/mcp/hostile_server.py), and a listener that keeps its notifications.
#pragma once
#include "tests/engine/process/children.hpp"
#include "tools/mcp/client/stdio_transport.hpp"

namespace test {
namespace mcp = tools::mcp;

inline mcp::StdioSettings hostile(const std::string& way) {
    mcp::StdioSettings settings{.server = "bad"};
    settings.program = {.command = "python3", .arguments = {"-B", "-S", WEFT_HOSTILE_SERVER, way}};
    return settings;
}
struct Heard : mcp::TransportListener {
    void noticed(mcp::Notification n, const mcp::Id*) override { notifications.push_back(std::move(n)); }
    void asked(mcp::Request r, const mcp::Id*) override { requests.push_back(std::move(r)); }
    void ended(const std::string& why) override { ends.push_back(why); }
    void noise(std::string_view line) override { noises.emplace_back(line.substr(0, 100)); }
    std::vector<mcp::Notification> notifications;
    std::vector<mcp::Request> requests;
    std::vector<std::string> ends, noises;
};
inline mcp::Request a_call(std::int64_t id, const std::string& text = "hello") {
    return {id, "tools/call", {{"name", "echo"}, {"arguments", {{"text", text}}}}};
}
/// Returns an answer's text, else its JSON, its error, or the exception's message.
inline awaitable<std::string> said(mcp::StdioTransport& transport, mcp::Request request, bool quiet = false) {
    const mcp::SendOptions sending{.quiet = quiet};
    try {
        const auto response = co_await transport.request(std::move(request), sending);
        if (const auto* error = response.error()) co_return "error: " + error->message;
        const auto& result = *response.result();
        co_return result.contains("content") ? result["content"].at(0).at("text").get<std::string>() : result.dump();
    } catch (const mcp::TransportError& error) { co_return "thrown: " + std::string(error.what()); }
}
/// A transport to a server with one kind of misbehaviour, on a loop in virtual time.
struct Line {
    explicit Line(const std::string& way) : Line(hostile(way)) {}
    explicit Line(mcp::StdioSettings settings) : transport(std::move(settings)) { open(); }
    void open(bool at_once = false) {
        const auto opening = begin_open(at_once);
        REQUIRE(bench.until([&] { return opening->has_value(); }));
        REQUIRE(transport.is_open());
    }
    std::shared_ptr<std::optional<bool>> begin_open(bool at_once = false) {
        return bench.begin([](Line& line, bool now) -> awaitable<bool> {
            co_await line.transport.open(line.heard, now);
            co_return true;
        }(*this, at_once));
    }
    std::shared_ptr<std::optional<std::string>> begin(mcp::Request request, bool quiet = false) {
        return bench.begin(said(transport, std::move(request), quiet));
    }
    std::string ask(mcp::Request request) {
        const auto answer = begin(std::move(request));
        REQUIRE(bench.until([&] { return answer->has_value(); }));
        return **answer;
    }
    std::string call(const std::string& text = "hello") { return ask(a_call(++last, text)); }
    void close() {
        const auto closing = bench.begin([](mcp::StdioTransport& t) -> awaitable<bool> {
            co_await t.close();
            co_return true;
        }(transport));
        REQUIRE(bench.until([&] {
            bench.clock.advance(100ms);
            return closing->has_value();
        }));
    }
    Bench bench;
    Heard heard;
    mcp::StdioTransport transport;
    std::int64_t last = 0;
};
}
