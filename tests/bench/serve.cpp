// Workload H: a server of workflows and a bare Beast server that sends the same bytes, each in its own process, with
// the same client: POST run of hello on 16 connections; one run that streams 200 000 events to one reader, and 20 000
// to each of 50. One JSON line per figure.
//
//     weft_bench_serve                        all figures, in alternating rounds
//     weft_bench_serve weft|beast             that server alone, for a profiler: prints its port
//     weft_bench_serve PORT PATH JSON N       sends N requests to another server in the same way
#include "tests/bench/serve.hpp"
#include "engine/timeout.hpp"
#include "tests/bench/measure.hpp"
#include "workflows/hello.hpp"
#include "workflows/server/server.hpp"
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
using namespace weft;
using boost::asio::ip::tcp;

namespace {
constexpr int connections = 16, readers = 50, rounds = 5;
constexpr long requests = 40'000, events_alone = 200'000, events_shared = 20'000;

struct CountEvent : StartEvent {
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(CountEvent, (), (count))
struct TokenEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(TokenEvent, (), (text))
struct CountedEvent : StopEvent {
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(CountedEvent, (), (count))
awaitable<CountedEvent> count_up(Context& ctx, CountEvent from) {
    co_await sleep_for(std::chrono::milliseconds(50));  // time for its readers to connect
    for (int i = 0; i < from.count; ++i) {
        ctx.stream(TokenEvent{bench::token});
        if (i % 64 == 63) co_await sleep_for(Duration(0));  // lets other coroutines run
    }
    co_return CountedEvent{.count = from.count};
}
constexpr auto counting = workflow("counting", step<count_up>);

int serve_weft() {
    Engine engine;
    std::vector<server::ServedWorkflow> workflows{server::offer(engine, workflows::hello),
                                                  server::offer(engine, counting)};
    server::ServerOptions options{.port = 0};
    options.runs.log = {.events = 1'000'000, .bytes = std::size_t(1) << 30};
    options.runs.kept = 1000;
    server::Server server(engine, std::move(workflows), std::move(options));
    server.listen();
    std::printf("%d\n", int(server.http().port()));
    std::fflush(stdout);
    server.run();
    return 0;
}

/// A server in its own process, ended by the destructor.
class Process {
public:
    explicit Process(const char* which) {
        int output[2];
        require(!pipe2(output, O_CLOEXEC), "pipe");
        auto program = std::filesystem::read_symlink("/proc/self/exe").string();
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
        std::string name(which);
        char* arguments[] = {program.data(), name.data(), nullptr};
        require(!posix_spawn(&id_, program.c_str(), &actions, nullptr, arguments, environ), which);
        posix_spawn_file_actions_destroy(&actions);
        ::close(output[1]);
        FILE* from = fdopen(output[0], "r");
        require(std::fscanf(from, "%hu", &port) == 1, "the port of a server");
        std::fclose(from);
    }
    ~Process() {
        ::kill(id_, SIGKILL);
        waitpid(id_, nullptr, 0);
    }
    Process(const Process&) = delete;
    unsigned short port = 0;

private:
    pid_t id_ = 0;
};

tcp::socket connect(boost::asio::io_context& io, unsigned short port) {
    tcp::socket socket(io);
    socket.connect({boost::asio::ip::address_v4::loopback(), port});
    socket.set_option(tcp::no_delay(true));
    return socket;
}
std::string request(const char* method, const std::string& target, const std::string& body = {}) {
    return std::string(method) + " " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
/// Reads a whole answer with a length, and returns its body.
std::string read_answer(tcp::socket& socket) {
    std::string text;
    for (std::size_t head = text.npos, length = 0;;) {
        char bytes[4096];
        text.append(bytes, socket.read_some(boost::asio::buffer(bytes)));
        if (head == text.npos && (head = text.find("\r\n\r\n")) != text.npos)
            length = std::stoul(text.substr(text.find("Content-Length: ") + 16));
        if (head != text.npos && text.size() >= head + 4 + length) return text.substr(head + 4);
    }
}
/// Sends requests one after another on its own connection.
struct Asker {
    Asker(boost::asio::io_context& io, unsigned short port, const std::string& asks, long& l, std::vector<double>& t)
        : socket(connect(io, port)), text(asks), left(l), took(t) {}
    void ask() {
        if (left-- <= 0) return;
        began = now();
        boost::asio::async_write(socket, boost::asio::buffer(text), [this](auto error, std::size_t) {
            require(!error, "H: write");
            got = 0;
            read();
        });
    }
    void read() {
        socket.async_read_some(boost::asio::buffer(bytes + got, sizeof bytes - got), [this](auto error, std::size_t n) {
            require(!error, "H: read");
            got += n;
            const std::string_view all(bytes, got);
            const auto head = all.find("\r\n\r\n");
            if (head == all.npos || !(all.ends_with("}") || all.ends_with("0\r\n\r\n"))) return read();
            require(all.find("Hello, World!") != all.npos, "H: the greeting");
            took.push_back(now() - began);
            ask();
        });
    }
    tcp::socket socket;
    const std::string& text;
    char bytes[8192];
    std::size_t got = 0;
    double began = 0;
    long& left;
    std::vector<double>& took;
};
struct Asked {
    double per_second, p99;  // us
};
Asked ask(unsigned short port, const std::string& text, long n) {
    boost::asio::io_context io;
    long left = n;
    std::vector<double> took;
    took.reserve(std::size_t(n));
    std::vector<std::unique_ptr<Asker>> askers;
    for (int i = 0; i < connections; ++i) askers.push_back(std::make_unique<Asker>(io, port, text, left, took));
    const double began = now();
    for (auto& asker : askers) asker->ask();
    io.run();
    return {double(took.size()) / (now() - began) * 1e9, pct(took, .99) / 1e3};
}
Asked ask_hello(unsigned short port) {
    const auto text = request("POST", "/workflows/hello/run", R"({"start_event":{"text":"World"}})");
    return ask(port, text, requests);
}
int ask_another(char** arguments) {
    const auto port = static_cast<unsigned short>(std::stoul(arguments[1]));
    const auto text = request("POST", arguments[2], arguments[3]);
    ask(port, text, connections);  // warms caches
    const auto asked = ask(port, text, std::stol(arguments[4]));
    out("another", "H", "POST run of hello, 16 connections", asked.per_second, "1/s");
    out("another", "H", "POST run of hello, p99", asked.p99, "us");
    return 0;
}
/// Counts the events of a stream until its end.
struct Reader {
    Reader(boost::asio::io_context& io, unsigned short port, const std::string& target) : socket(connect(io, port)) {
        boost::asio::write(socket, boost::asio::buffer(request("GET", target)));
    }
    void read() {
        socket.async_read_some(boost::asio::buffer(bytes), [this](auto error, std::size_t n) {
            require(!error, "H: a stream that broke off");
            for (std::string_view rest(bytes.data(), n); !rest.empty();) {
                const auto at = rest.find('{');
                if (at == rest.npos) break;
                rest.remove_prefix(at + 1);
                ++braces;
            }
            tail.append(bytes.data() + (n > 8 ? n - 8 : 0), std::min<std::size_t>(n, 8));
            if (tail.size() > 8) tail.erase(0, tail.size() - 8);
            if (!tail.ends_with("0\r\n\r\n")) read();
        });
    }
    tcp::socket socket;
    std::vector<char> bytes = std::vector<char>(256 << 10);
    std::string tail;
    long braces = 0;  // two for each event
};
double stream(unsigned short port, int n, long events) {  // per second, for all readers together
    boost::asio::io_context io;
    auto starting = connect(io, port);
    const auto body = R"({"start_event":{"count":)" + std::to_string(events) + "}}";
    boost::asio::write(starting, boost::asio::buffer(request("POST", "/workflows/counting/run-nowait", body)));
    const auto answer = read_answer(starting);
    const auto at = answer.find("\"handler_id\":\"") + 14;
    const auto target = "/events/" + answer.substr(at, answer.find('"', at) - at);
    std::vector<std::unique_ptr<Reader>> all;
    for (int i = 0; i < n; ++i) all.push_back(std::make_unique<Reader>(io, port, target));
    for (auto& reader : all) reader->read();
    const double began = now();
    io.run();
    const double time = now() - began - 50e6;  // the run's initial wait
    for (auto& reader : all) require(reader->braces >= 2 * events, "H: events that are missing");
    return double(n) * double(events) / time * 1e9;
}
}

int main(int argc, char** argv) {
    if (argc == 5) return ask_another(argv);
    if (argc > 1) return std::string_view(argv[1]) == "weft" ? serve_weft() : bench::serve_beast();
    const char* names[] = {"weft", "bare Beast"};
    std::vector<double> rate[2], late[2], alone[2], shared[2];
    for (int round = 0; round < rounds; ++round)
        for (int which : {0, 1}) {
            const Process server(which == 0 ? "weft" : "beast");
            ask_hello(server.port);  // warms caches
            const auto asked = ask_hello(server.port);
            rate[which].push_back(asked.per_second);
            late[which].push_back(asked.p99);
            alone[which].push_back(stream(server.port, 1, events_alone));
            shared[which].push_back(stream(server.port, readers, events_shared));
        }
    for (int which : {0, 1}) {
        out(names[which], "H", "POST run of hello, 16 connections", pct(rate[which], .5), "1/s");
        out(names[which], "H", "POST run of hello, p99", pct(late[which], .5), "us");
        out(names[which], "H", "events streamed to one reader", pct(alone[which], .5), "1/s");
        out(names[which], "H", "events streamed to 50 readers", pct(shared[which], .5), "1/s");
    }
    out("ratio", "H", "requests, weft / bare Beast", pct(rate[0], .5) / pct(rate[1], .5), "x");
    out("ratio", "H", "p99, weft / bare Beast", pct(late[0], .5) / pct(late[1], .5), "x");
    out("ratio", "H", "events to one reader, weft / bare Beast", pct(alone[0], .5) / pct(alone[1], .5), "x");
    out("ratio", "H", "events to 50 readers, weft / bare Beast", pct(shared[0], .5) / pct(shared[1], .5), "x");
}
