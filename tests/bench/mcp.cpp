// Workload I: sequential calls of a tool through a client of MCP, compared with the same bytes sent to the same server
// without a client; and the start of eight servers, one of them slow. One JSON line per figure.
//
//     weft_bench_mcp                                        all figures, in alternating slices
//     weft_bench_mcp serve pipes [MS] | serve http          the server; over HTTP it prints its address
//     weft_bench_mcp client|tool|none legacy|modern COMMAND...|URL
//                                                           for mcp_peers.py: each input line is a number of calls
//     weft_bench_mcp start N COMMAND...                     time until N servers have listed their tools
#include "tests/bench/mcp.hpp"
#include "engine/spawn.hpp"
#include "tests/bench/measure.hpp"
#include "tools/mcp/servers.hpp"
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <iostream>
#include <memory>
using namespace weft;
namespace mcp = tools::mcp;
using boost::asio::ip::tcp;

namespace {
constexpr int rounds = 7, calls_by_pipe = 3000, calls_by_http = 2000, starts = 5, slowest = 300;
constexpr const char* message = "a message to echo";

/// The time of each call, and the CPU time of this process.
struct Calls {
    std::vector<double> took;  // ns
    double cpu = 0;
};
/// A way to call the tool.
class Caller {
public:
    virtual ~Caller() = default;
    virtual void call(int times, std::vector<double>& took) = 0;
    void measure(int times, Calls& calls) {
        const double before = cpu_ns();
        call(times, calls.took);
        calls.cpu += cpu_ns() - before;
    }
};

/// A loop that runs until its work has ended.
class OneLoop {
public:
    void run(awaitable<void> work) {
        bool ended = false;
        std::exception_ptr error;
        spawn(runtime(), std::move(work), [&](std::exception_ptr e) {
            ended = true;
            error = std::move(e);
            io_.stop();
        });
        io_.restart();
        io_.run();
        require(ended, "a loop without work");
        if (error) std::rethrow_exception(error);
    }
    Runtime runtime() { return {io_.get_executor()}; }

private:
    boost::asio::io_context io_{1};
};

mcp::ServerEntry entry_of(const std::vector<std::string>& words) {
    mcp::ServerEntry entry{.name = "bench"};
    if (words.size() == 1 && words[0].starts_with("http")) {
        entry.url = words[0];
        return entry;
    }
    entry.command = words.at(0);
    entry.args.assign(words.begin() + 1, words.end());
    return entry;
}
void check(std::string_view text) { require(text.find(message) != text.npos, "I: the answer to a call"); }

awaitable<void> call_client(mcp::Client& client, int times, std::vector<double>& took) {
    for (int i = 0; i < times; ++i) {
        mcp::CallToolParams call{.tool = "echo", .arguments = {{"message", message}}};
        const double began = now();
        auto calling = client.call(std::move(call), mcp::CallOptions());
        const auto result = co_await std::move(calling);
        took.push_back(now() - began);
        check(result.content.at(0).at("text").get_ref<const std::string&>());
    }
}
awaitable<void> list_tools(mcp::Client& client) {
    auto listing = client.tools();
    const auto list = co_await std::move(listing);
    require(list->find("echo"), "I: the tool");
}

/// The client itself.
class ClientCaller final : public Caller {
public:
    ClientCaller(const std::vector<std::string>& words, mcp::ClientOptions options)
        : client_(mcp::reach(entry_of(words)), std::move(options)) {
        loop_.run(list_tools(client_));
    }
    ~ClientCaller() override { loop_.run(client_.close()); }
    void call(int times, std::vector<double>& took) override { loop_.run(call_client(client_, times, took)); }

private:
    OneLoop loop_;
    mcp::Client client_;
};

awaitable<void> call_tool(mcp::RemoteTool& tool, int times, std::vector<double>& took) {
    const nlohmann::json arguments = {{"message", message}};
    for (int i = 0; i < times; ++i) {
        const double began = now();
        auto calling = tool.call(arguments);
        const auto observation = co_await std::move(calling);
        took.push_back(now() - began);
        check(observation.text);
    }
}
/// A tool as agents use it: their loop is not the servers' loop.
class ToolCaller final : public Caller {
public:
    ToolCaller(const std::vector<std::string>& words, mcp::ClientOptions options)
        : servers_({entry_of(words)}, {.client = std::move(options)}) {
        for (const auto& tool : servers_.tools())
            if (tool->info().name == "echo") tool_ = tool;
        require(tool_ != nullptr, "I: the tool");
    }
    void call(int times, std::vector<double>& took) override { loop_.run(call_tool(*tool_, times, took)); }

private:
    mcp::Servers servers_;
    std::shared_ptr<mcp::RemoteTool> tool_;
    OneLoop loop_;
};

/// The client's message without the id.
std::string request() {
    mcp::Request request{.id = 7, .method = std::string(mcp::method::call_tool)};
    request.params = {{"name", "echo"},
                      {"arguments", {{"message", message}}},
                      {"_meta",
                       {{mcp::meta::version, mcp::revision::modern},
                        {mcp::meta::client, {{"name", "weft"}, {"version", "0.1"}}},
                        {mcp::meta::capabilities, nlohmann::json::object()}}}};
    return mcp::write(request);
}
/// The limit: a blocking write and a blocking read.
class BarePipes final : public Caller {
public:
    explicit BarePipes(std::vector<std::string> words) : server_(std::move(words)) {}
    void call(int times, std::vector<double>& took) override {
        const auto bytes = request() + "\n";
        for (int i = 0; i < times; ++i) {
            const double began = now();
            server_.write(bytes);
            const auto line = server_.read_line();
            took.push_back(now() - began);
            check(line);
        }
    }

private:
    bench::Child server_;
};
class BareHttp final : public Caller {
public:
    explicit BareHttp(const std::string& url) : socket_(io_) {
        const auto port = std::stoul(url.substr(url.rfind(':') + 1));
        socket_.connect({boost::asio::ip::address_v4::loopback(), static_cast<unsigned short>(port)});
        socket_.set_option(tcp::no_delay(true));
    }
    void call(int times, std::vector<double>& took) override {
        const auto body = request();
        const auto bytes = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                           "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
                           "Mcp-Method: tools/call\r\nMcp-Name: echo\r\nContent-Length: " +
                           std::to_string(body.size()) + "\r\n\r\n" + body;
        for (int i = 0; i < times; ++i) {
            const double began = now();
            boost::asio::write(socket_, boost::asio::buffer(bytes));
            char answer[4096];
            std::size_t n = 0;  // the server writes an answer immediately
            while (n == 0 || answer[n - 1] != '}')
                n += socket_.read_some(boost::asio::buffer(answer + n, sizeof answer - n));
            took.push_back(now() - began);
            check({answer, n});
        }
    }

private:
    boost::asio::io_context io_;
    tcp::socket socket_;
};

void tell(const char* who, const std::string& what, Calls& calls) {
    out(who, "I", (what + ", p50").c_str(), pct(calls.took, .5) / 1e3, "us");
    out(who, "I", (what + ", p99").c_str(), pct(calls.took, .99) / 1e3, "us");
    out(who, "I", (what + ", cpu of the client").c_str(), calls.cpu / double(calls.took.size()) / 1e3, "us");
}
void compare(const char* who, const std::string& what, Calls& ours, Calls& bare) {
    out("ratio", "I", (what + ", p50: " + who + " / no client").c_str(), pct(ours.took, .5) / pct(bare.took, .5), "x");
    const auto cpu = [](const Calls& calls) { return calls.cpu / double(calls.took.size()); };
    out("ratio", "I", (what + ", cpu: " + who + " / no client").c_str(), cpu(ours) / cpu(bare), "x");
}
void bench_calls(const std::string& what, const std::vector<std::string>& words, Caller& bare, int times) {
    ClientCaller client(words, mcp::ClientOptions());
    ToolCaller tool(words, mcp::ClientOptions());
    Caller* callers[] = {&bare, &client, &tool};
    Calls calls[3], warm;
    for (auto* caller : callers) caller->measure(times / 4, warm);
    for (int round = 0; round < rounds; ++round)
        for (int i : {0, 1, 2}) callers[i]->measure(times, calls[i]);
    tell("no client", what, calls[0]);
    tell("weft: client", what, calls[1]);
    tell("weft: tool of an agent", what, calls[2]);
    compare("client", what, calls[1], calls[0]);
    compare("tool of an agent", what, calls[2], calls[0]);
}

double start(std::vector<mcp::ServerEntry> entries) {  // ms until all servers have answered
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].name = "server" + std::to_string(i);
    const auto count = entries.size();
    const double began = now();
    mcp::Servers servers(std::move(entries), mcp::ServersOptions());
    const auto tools = servers.tools().size();
    const double took = (now() - began) / 1e6;
    for (const auto& note : servers.notes()) std::cerr << note << '\n';
    require(tools >= count && servers.notes().empty(), "I: servers that do not start");
    return took;
}
mcp::ServerEntry slow_server(int pause) {
    return entry_of(bench::this_program({"serve", "pipes", std::to_string(pause)}));
}
void bench_starts() {
    std::vector<double> one, eight;
    for (int round = 0; round < starts; ++round) {
        one.push_back(start({slow_server(slowest)}));
        std::vector<mcp::ServerEntry> entries;
        for (int i = 1; i <= 8; ++i) entries.push_back(slow_server(slowest * i / 8));
        eight.push_back(start(std::move(entries)));
    }
    out("weft", "I", "start of a server that needs 300 ms", pct(one, .5), "ms");
    out("weft", "I", "start of 8 servers, which is the slowest", pct(eight, .5), "ms");
    out("ratio", "I", "start, 8 servers / the slowest alone", pct(eight, .5) / pct(one, .5), "x");
}

int bench_all() {
    const auto by_pipes = bench::this_program({"serve", "pipes"});
    BarePipes pipes(by_pipes);
    bench_calls("call over stdio", by_pipes, pipes, calls_by_pipe);
    bench::Child server(bench::this_program({"serve", "http"}));
    const auto url = server.read_line();
    BareHttp http(url);
    bench_calls("call over HTTP", {url}, http, calls_by_http);
    bench_starts();
    return 0;
}
int call_by_lines(const std::string& who, const std::string& era, const std::vector<std::string>& words) {
    mcp::ClientOptions options;
    options.era = era == "modern" ? mcp::ServerEra::modern : mcp::ServerEra::legacy;
    std::unique_ptr<Caller> caller;
    if (who == "none" && words.size() == 1) caller = std::make_unique<BareHttp>(words[0]);
    else if (who == "none") caller = std::make_unique<BarePipes>(words);
    else if (who == "tool") caller = std::make_unique<ToolCaller>(words, std::move(options));
    else caller = std::make_unique<ClientCaller>(words, std::move(options));
    std::cout << "ready" << std::endl;
    for (int times = 0; std::cin >> times;) {
        Calls calls;
        caller->measure(times, calls);
        std::cout << R"({"p50":)" << pct(calls.took, .5) / 1e3 << R"(,"p99":)" << pct(calls.took, .99) / 1e3
                  << R"(,"cpu":)" << calls.cpu / times / 1e3 << '}' << std::endl;
    }
    return 0;
}
}

int main(int argc, char** argv) try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.empty()) return bench_all();
    if (words.size() > 1 && words[0] == "serve")
        return words[1] == "http" ? bench::serve_mcp_by_http()
                                  : bench::serve_mcp_by_pipes(words.size() > 2 ? std::stoi(words[2]) : 0);
    if (words.size() > 2 && (words[0] == "client" || words[0] == "tool" || words[0] == "none"))
        return call_by_lines(words[0], words[1], {words.begin() + 2, words.end()});
    if (words.size() > 2 && words[0] == "start") {
        const auto entry = entry_of({words.begin() + 2, words.end()});
        std::cout << start(std::vector<mcp::ServerEntry>(std::stoul(words[1]), entry)) << '\n';
        return 0;
    }
    std::cerr << "wrong words: see the top of tests/bench/mcp.cpp\n";
    return 2;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
