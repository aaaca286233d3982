// Workload F: agents of three model turns (two calls of a tool, then the answer) against the server of stub.cpp, one
// agent at a time and 500 at once on one loop. It compares the whole react workflow with dialect, HTTP model and
// registry to a client of Asio alone that sends the same bytes. One JSON line per figure.
//
//     weft_bench_agents                                 all cases, and the ratios of their costs
//     weft_bench_agents weft stream 0 500 10000         one case in this process, for a profiler
//     weft_bench_agents raw plain 20 1 50               (client, form of the reply, delay in ms, width, agents)
//     WEFT_BENCH_TURNS=200 weft_bench_agents weft plain 0 1 50
//
// Each case runs in its own process, so that the peak of memory is the case's.
#include "engine/asio.hpp"
#include "engine/loop.hpp"
#include "engine/spawn.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/http/http_model.hpp"
#include "steps/models/protocols/openai.hpp"
#include "tests/bench/raw_agent.hpp"
#include "tools/arithmetic.hpp"
#include "workflows/react.hpp"
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
using namespace weft;
using boost::asio::ip::tcp;

namespace {
constexpr const char *question = "What is 20+22?", *key = "sk-0123456789abcdef0123456789abcdef";
const int turns = std::getenv("WEFT_BENCH_TURNS") ? std::atoi(std::getenv("WEFT_BENCH_TURNS")) : 3;

struct Case {
    bool weft, stream;
    int delay_ms, width;
    long agents;
    std::string tag() const {
        return std::string(stream ? "stream" : "plain") + ", " + std::to_string(delay_ms) + " ms, " +
               std::to_string(width) + " at once";
    }
};
struct Figures {
    double turn_p50, turn_p99, agents_per_second, cpu_of_agent, peak;  // us, us, 1/s, us, MiB
};

/// The server's process, ended by the destructor.
class Stub {
public:
    Stub() {
        int input[2], output[2];
        require(!pipe2(input, O_CLOEXEC) && !pipe2(output, O_CLOEXEC), "pipe");
        auto program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("weft_bench_stub").string();
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
        char* arguments[] = {program.data(), nullptr};
        require(!posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments, environ), "weft_bench_stub");
        posix_spawn_file_actions_destroy(&actions);
        ::close(input[0]), ::close(output[1]);
        input_ = input[1];
        FILE* from = fdopen(output[0], "r");
        require(std::fscanf(from, "%hu", &port) == 1, "the port of weft_bench_stub");
        std::fclose(from);
    }
    ~Stub() {
        ::close(input_);
        waitpid(process_, nullptr, 0);
    }
    Stub(const Stub&) = delete;
    unsigned short port = 0;

private:
    pid_t process_ = 0;
    int input_ = -1;
};

/// Runs the spawned coroutines, and returns their cost.
class Measure {
public:
    explicit Measure(const Case& c) : left(c.agents) { took_.reserve(static_cast<std::size_t>(c.agents)); }
    void answered(double since, bool rightly) {
        require(rightly, "F");
        took_.push_back(now() - since);
    }
    Figures run(boost::asio::io_context& io) {
        const double began = now(), cpu = cpu_ns();
        io.run();
        const double n = double(took_.size()), spent = cpu_ns() - cpu, time = now() - began;
        return {pct(took_, .5) / turns / 1e3, pct(took_, .99) / turns / 1e3, n / time * 1e9, spent / n / 1e3,
                peak_rss_mib()};
    }
    long left;

private:
    std::vector<double> took_;
};

std::string address(const Case& c, unsigned short port) {
    return "http://127.0.0.1:" + std::to_string(port) + "/" + std::to_string(c.delay_ms) + "/v1";
}
tools::Registry only_add() {
    tools::Registry all;
    for (auto& tool : tools::arithmetic()) all.add(tool);
    return all.only({"add"});
}

// ---- the react workflow ---------------------------------------------------------------------------------------------
awaitable<void> ask(Loop& loop, auto bound, Measure& measure) {
    while (measure.left-- > 0) {
        const double began = now();
        agents::UserMessageEvent message{.text = question};
        auto run = loop.start(bound, std::move(message));
        const auto answer = co_await run.result();
        measure.answered(began, answer.response == "42" && answer.steps == turns &&
                                    answer.sources.size() + 1 == std::size_t(turns) &&
                                    answer.sources.back().output == "42");
    }
}
Figures run_weft(const Case& c, unsigned short port) {
    boost::asio::io_context io(1);
    Loop loop(io.get_executor());
    models::HttpModel model({.name = "openai:stub",
                             .model = "stub",
                             .protocol = &models::openai_chat,
                             .base = net::parse_url(address(c, port)),
                             .key = models::Secret(key),
                             .stream = c.stream});
    const auto tools = only_add();
    const agents::ReactOptions options{.max_steps = std::max(turns, 20)};
    auto bound = workflows::react.with(model, agents::text_dialect, agents::no_memory(), tools, options);
    Measure measure(c);
    for (int i = 0; i < c.width; ++i) spawn(io.get_executor(), ask(loop, bound, measure), boost::asio::detached);
    return measure.run(io);
}

// ---- Asio alone -----------------------------------------------------------------------------------------------------
RawAgent::Words raw_words(const Case& c, unsigned short port) {
    const auto tools = only_add();
    const agents::Conversation conversation;
    const agents::CurrentReasoning reasoning;
    const auto prompt = agents::text_dialect.prompt({.conversation = conversation,
                                                     .reasoning = reasoning,
                                                     .tools = tools,
                                                     .max_steps = agents::ReactOptions().max_steps});
    const auto url = net::parse_url(address(c, port)) / "chat/completions";
    return {"POST " + url.target + " HTTP/1.1\r\nHost: " + url.authority() +
                "\r\nUser-Agent: weft\r\nAccept-Encoding: gzip\r\nContent-Type: application/json\r\n"
                "Accept: text/event-stream, application/json, */*\r\nAuthorization: Bearer " +
                key + "\r\nIdempotency-Key: weft-0123456789abcdef-1\r\nContent-Length: ",
            std::string(R"({"model":"stub","stop":["Observation:"],)") +
                (c.stream ? R"("stream":true,"stream_options":{"include_usage":true},)" : "") +
                R"("messages":[{"role":"system","content":)" + nlohmann::json(prompt[0].content).dump() + "}"};
}
boost::asio::awaitable<void> ask_raw(const RawAgent::Words& words, tcp::endpoint server, Measure& measure) {
    const auto executor = co_await boost::asio::this_coro::executor;
    RawAgent agent(tcp::socket(executor), words);
    co_await agent.socket().async_connect(server, boost::asio::use_awaitable);
    agent.socket().set_option(tcp::no_delay(true));
    while (measure.left-- > 0) {
        const double began = now();
        const auto answer = co_await agent.answer(question);
        measure.answered(began, answer == "42");
    }
}
Figures run_raw(const Case& c, unsigned short port) {
    boost::asio::io_context io(1);
    const auto words = raw_words(c, port);
    Measure measure(c);
    for (int i = 0; i < c.width; ++i)
        boost::asio::co_spawn(io, ask_raw(words, {boost::asio::ip::address_v4::loopback(), port}, measure),
                              boost::asio::detached);
    return measure.run(io);
}

// ---- all cases ------------------------------------------------------------------------------------------------------
Figures run_here(const Case& c, unsigned short port) { return c.weft ? run_weft(c, port) : run_raw(c, port); }
Figures run_apart(const Case& c, unsigned short port) {
    int ends[2];
    require(!pipe(ends), "pipe");
    const auto process = fork();
    require(process >= 0, "fork");
    if (process == 0) {
        const auto figures = run_here(c, port);
        std::_Exit(write(ends[1], &figures, sizeof figures) == sizeof figures ? 0 : 1);
    }
    ::close(ends[1]);
    Figures figures{};
    int status = 0;
    const bool told = read(ends[0], &figures, sizeof figures) == sizeof figures;
    ::close(ends[0]);
    require(waitpid(process, &status, 0) == process && status == 0 && told, c.tag().c_str());
    return figures;
}
void show(const Case& c, const Figures& f) {
    const auto tell = [&](const char* metric, double value, const char* unit) {
        out(c.weft ? "weft" : "asio alone", "F", (c.tag() + ": " + metric).c_str(), value, unit);
    };
    if (c.width == 1) {
        tell("turn p50", f.turn_p50, "us");
        tell("turn p99", f.turn_p99, "us");
    } else {
        tell("agents/s", f.agents_per_second, "1/s");
        tell("peak memory", f.peak, "MiB");
    }
    tell("cpu/agent", f.cpu_of_agent, "us");
    tell("cpu/turn", f.cpu_of_agent / turns, "us");
}
void compare(Case c, unsigned short port) {
    c.weft = false;
    const auto raw = run_apart(c, port);
    show(c, raw);
    c.weft = true;
    const auto ours = run_apart(c, port);
    show(c, ours);
    const auto tell = [&](const char* metric, double value, const char* unit) {
        out("ratio", "F", (c.tag() + ": " + metric).c_str(), value, unit);
    };
    if (c.width == 1) {
        tell("turn p50, weft above asio alone", ours.turn_p50 - raw.turn_p50, "us");
    } else {
        tell("agents/s, weft / asio alone", ours.agents_per_second / raw.agents_per_second, "x");
        tell("peak memory, weft / asio alone", ours.peak / raw.peak, "x");
    }
    tell("cpu, weft / asio alone", ours.cpu_of_agent / raw.cpu_of_agent, "x");
}
}

int main(int n, char** v) {
    const Stub stub;
    if (n == 6) {
        const Case c{std::string_view(v[1]) == "weft", std::string_view(v[2]) == "stream", std::atoi(v[3]),
                     std::atoi(v[4]), std::atol(v[5])};
        show(c, run_here(c, stub.port));
        return 0;
    }
    for (const int delay : {0, 20})
        for (const bool stream : {false, true})
            for (const int width : {1, 500}) {
                const long agents = width > 1 ? 10'000 : delay ? 50 : 2'000;
                compare({.stream = stream, .delay_ms = delay, .width = width, .agents = agents}, stub.port);
            }
}
