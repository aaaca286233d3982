// Workloads A to D and G: the engine inside one process. One JSON line per figure.
//
//     weft_bench A|B|C|D [size [name]]      with a name, only the cases whose name contains it
//     weft_bench G [part [size]]
#include "engine/asio.hpp"
#include "engine/loop.hpp"
#include "engine/spawn.hpp"
#include "engine/workflow.hpp"
#include "tests/bench/durable.hpp"
#include "tests/bench/measure.hpp"
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
using namespace weft;

std::string_view chosen;  // a part of the names of the wanted cases
bool wanted(std::string_view name) { return name.find(chosen) != name.npos; }

// ---- A: Start -> Ping -> Pong -> Ping ... -> Stop ------------------------------------------------------------------
struct GoEvent : StartEvent {};
struct PingEvent {
    long i;
};
struct PongEvent {
    long i;
};
struct OverEvent : StopEvent {
    long i;
};
struct Limit {
    long n;
};  // a resource; the floor has it as a parameter
using AfterPing = std::variant<PongEvent, OverEvent>;
using AfterPong = std::variant<PingEvent, OverEvent>;

PingEvent go(Context&, GoEvent) { return {1}; }
[[gnu::noinline]] AfterPing on_ping(Context&, PingEvent e, Limit& l) {
    keep(e.i);
    if (e.i < l.n) return PongEvent{e.i + 1};
    return OverEvent{{}, e.i};
}
[[gnu::noinline]] AfterPong on_pong(Context&, PongEvent e, Limit& l) {
    keep(e.i);
    if (e.i < l.n) return PingEvent{e.i + 1};
    return OverEvent{{}, e.i};
}
[[gnu::noinline]] awaitable<AfterPing> co_ping(Context& c, PingEvent e, Limit& l) { co_return on_ping(c, e, l); }
[[gnu::noinline]] awaitable<AfterPong> co_pong(Context& c, PongEvent e, Limit& l) { co_return on_pong(c, e, l); }
inline constexpr auto sync_game = workflow("sync_game", step<go>, step<on_ping>, step<on_pong>);
inline constexpr auto async_game = workflow("async_game", step<go>, step<co_ping>, step<co_pong>);

void game(const char* name, const auto& w, long n) {
    if (!wanted(name)) return;
    Limit limit{n};
    auto bound = w.with(limit);
    double t = now();
    require(run(bound, {}).i == n, "A");
    out(name, "A", ("event, N=" + std::to_string(n)).c_str(), (now() - t) / n, "ns");
}
void A(long only) {
    for (long n : {10'000L, 100'000L, 1'000'000L, 10'000'000L})
        if (!only || only == n) {
            game("weft: sync steps", sync_game, n);
            game("weft: awaitable steps", async_game, n);
        }
}

// ---- B: 1000 items, 4 workers, collect ------------------------------------------------------------------------------
struct BatchEvent : StartEvent {
    long k;
};
struct WorkEvent {
    long i;
};
struct DoneEvent {
    long i;
};
struct SumEvent : StopEvent {
    long sum;
};
std::vector<WorkEvent> fan(Context&, BatchEvent b) {
    std::vector<WorkEvent> v;
    v.reserve(b.k);
    for (long i = 0; i < b.k; ++i) v.push_back({i});
    return v;
}
DoneEvent work(Context&, WorkEvent w) {
    keep(w.i);
    return {w.i};
}
awaitable<DoneEvent> co_work(Context&, WorkEvent w) {
    keep(w.i);
    co_return DoneEvent{w.i};
}
SumEvent sum(Context&, std::vector<DoneEvent> all) {
    long s = 0;
    for (auto& d : all) s += d.i;
    return {{}, s};
}
inline constexpr auto sync_batch = workflow("sync_batch", step<fan>, step<work>.workers(4), step<sum>);
inline constexpr auto async_batch = workflow("async_batch", step<fan>, step<co_work>.workers(4), step<sum>);

awaitable<void> batches(Loop& loop, auto bound, long k, long reps) {
    for (long r = 0; r < reps; ++r) {
        BatchEvent b{.k = k};
        auto run = loop.start(bound, b);
        auto end = co_await run.result();
        require(end.sum == k * (k - 1) / 2, "B");
    }
}
void B(long reps) {
    const long k = 1000;
    auto measure = [&](const char* name, const auto& w) {
        if (!wanted(name)) return;
        asio::io_context io(1);
        Loop loop(io.get_executor());
        spawn(io.get_executor(), batches(loop, w.with(), k, reps), asio::detached);
        double t = now();
        io.run();
        out(name, "B", "items/s", k * reps / (now() - t) * 1e9, "1/s");
    };
    measure("weft: sync steps", sync_batch);
    measure("weft: awaitable steps", async_batch);
}

// ---- C: ReAct runs with the peers' text work ------------------------------------------------------------------------
struct Turns : Growing<react::Message> {};
struct UserMessageEvent : StartEvent {
    std::string text;
};
struct PrepEvent {};
struct InputEvent {
    std::string text;
};
struct ToolCallEvent {
    react::Parsed call;
};
struct AnswerEvent : StopEvent {
    std::string response;
};
struct ChatModel {
    virtual ~ChatModel() = default;
    virtual awaitable<std::string> chat(const std::string& prompt) = 0;
};
struct ScriptedModel : ChatModel {
    awaitable<std::string> chat(const std::string& prompt) override { co_return std::string(react::model(prompt)); }
};
struct RemoteModel : ChatModel {  // answers in a later turn of the loop, like a socket
    asio::io_context& io;
    explicit RemoteModel(asio::io_context& c) : io(c) {}
    awaitable<std::string> chat(const std::string& prompt) override {
        co_await asio::post(io, asio::deferred);
        co_return std::string(react::model(prompt));
    }
};
std::string format(const Turns& h) {
    std::size_t n = react::system_prompt.size();
    for (auto& [r, c] : h) n += r.size() + c.size() + 3;
    std::string s;
    s.reserve(n);
    s += react::system_prompt;
    for (auto& [r, c] : h) ((s += '\n') += r) += ": ", s += c;
    return s;
}
PrepEvent new_user_message(Context& ctx, UserMessageEvent m) {
    ctx.edit<Turns>([&](auto& h) { h.emplace_back("user", std::move(m.text)); });
    return {};
}
InputEvent prepare_chat_history(Context& ctx, PrepEvent) { return {format(ctx.get<Turns>())}; }
awaitable<std::variant<ToolCallEvent, AnswerEvent>> handle_llm_input(Context& ctx, InputEvent in, ChatModel& model) {
    auto reply = co_await model.chat(in.text);
    auto parsed = react::parse(reply);
    ctx.edit<Turns>([&](auto& h) { h.emplace_back("assistant", std::move(reply)); });
    if (parsed.answer) co_return AnswerEvent{.response = std::move(parsed.text)};
    co_return ToolCallEvent{std::move(parsed)};
}
PrepEvent call_tool(Context& ctx, ToolCallEvent e) {
    ctx.edit<Turns>([&](auto& h) { h.emplace_back("user", react::call(e.call)); });
    return {};
}
inline constexpr auto agent = workflow("react", step<new_user_message>, step<prepare_chat_history>,
                                       step<handle_llm_input>, step<call_tool>);

awaitable<void> ask(Loop& loop, auto bound, long& left, std::vector<double>& latency) {
    while (left-- > 0) {
        double t = now();
        UserMessageEvent question{.text = "What is 20+22?"};
        auto run = loop.start(bound, std::move(question));
        auto answer = co_await run.result();
        require(answer.response == "42", "C");
        latency.push_back(now() - t);
    }
}
void C(long runs) {
    auto measure = [&](const char* name, const char* tag, int width, auto make_model) {
        if (!wanted(name + std::string(", ") + tag)) return;
        asio::io_context io(1);
        Loop loop(io.get_executor());
        auto model = make_model(io);
        auto bound = agent.with(model);
        long left = runs ? runs : 200'000;
        std::vector<double> latency;
        latency.reserve(left);
        for (int i = 0; i < width; ++i) spawn(io.get_executor(), ask(loop, bound, left, latency), asio::detached);
        double t = now(), cpu = cpu_ns();
        io.run();
        auto n = latency.size();
        out(name, "C", (tag + std::string("cpu/run")).c_str(), (cpu_ns() - cpu) / n / 1e3, "us");
        out(name, "C", (tag + std::string("runs/s")).c_str(), n / (now() - t) * 1e9, "1/s");
        out(name, "C", (tag + std::string("p50")).c_str(), pct(latency, .5) / 1e3, "us");
        out(name, "C", (tag + std::string("p99")).c_str(), pct(latency, .99) / 1e3, "us");
    };
    auto scripted = [](auto&) { return ScriptedModel{}; };
    auto remote = [](auto& io) { return RemoteModel(io); };
    measure("weft: model answers at once", "seq ", 1, scripted);
    measure("weft: model answers at once", "conc ", 1000, scripted);
    measure("weft: model answers by post", "seq ", 1, remote);
    measure("weft: model answers by post", "conc ", 1000, remote);

    // One loop per thread with its own definition. Two processes share nothing at all: they show what the machine does.
    const long total = runs ? runs : 400'000;
    const auto half = [&] {
        asio::io_context io(1);
        Loop loop(io.get_executor());
        RemoteModel model(io);
        auto bound = agent.with(model);
        long left = total / 2;
        std::vector<double> latency;
        for (int i = 0; i < 1000; ++i) spawn(io.get_executor(), ask(loop, bound, left, latency), asio::detached);
        io.run();
    };
    const auto tell = [&](const char* metric, double begin) {
        out("weft: model answers by post", "C", metric, total / (now() - begin) * 1e9, "1/s");
    };
    if (wanted("2 threads")) {
        const double begin = now(), cpu = cpu_ns();
        {
            std::jthread other(half);
            half();
        }
        tell("conc runs/s, 2 threads", begin);
        out("weft: model answers by post", "C", "conc cpu/run, 2 threads", (cpu_ns() - cpu) / total / 1e3, "us");
    }
    if (wanted("2 processes")) {
        const double begin = now();
        const auto other = fork();
        require(other >= 0, "fork");
        half();
        if (other == 0) std::_Exit(0);
        int status = 0;
        require(waitpid(other, &status, 0) == other && status == 0, "the other process");
        tell("conc runs/s, 2 processes", begin);
    }
}

// ---- D: runs that wait for a human --------------------------------------------------------------------------------
struct BeginEvent : StartEvent {};
struct QuestionEvent : InputRequiredEvent {
    long id;
};
struct ReplyEvent : HumanResponseEvent {
    long value;
};
struct EndEvent : StopEvent {
    long value;
};
QuestionEvent ask_human(Context&, BeginEvent) { return {{}, 7}; }
EndEvent conclude(Context&, ReplyEvent r) { return {{}, r.value}; }
inline constexpr auto approval = workflow("approval", step<ask_human>, step<conclude>);
void D() {
    const long m = 100'000;
    asio::io_context io(1);
    Loop loop(io.get_executor());
    auto bound = approval.with();
    using R = decltype(loop.start(bound, {}));
    std::vector<R> runs;
    runs.reserve(m);
    std::memset(static_cast<void*>(runs.data()), 0, m * sizeof(R));  // touches the pages before the measurement
    double base = rss();
    for (long i = 0; i < m; ++i) {
        runs.push_back(loop.start(bound, {}));
        if (i % 64 == 63) io.poll(), io.restart();
    }
    io.run();
    require(runs.back().idle(), "D idle");
    out("weft", "D", "idle run", (rss() - base) / m, "B");
    double t = now();
    for (auto& r : runs) r.send(ReplyEvent{.value = 7});
    io.restart();
    io.run();
    out("weft", "D", "answer", (now() - t) / m / 1e3, "us/run");
    for (auto& r : runs) require(r.outcome().value == 7, "D");
}

int main(int n, char** v) {
    long arg = n > 2 ? std::atol(v[2]) : 0;
    if (n > 3) chosen = v[3];
    switch (n > 1 ? v[1][0] : 'A') {
    case 'A': A(arg); break;
    case 'B': B(arg ? arg : 2000); break;
    case 'C': C(arg); break;
    case 'D': D(); break;
    case 'G': durable_runs(n > 2 ? v[2] : "", n > 3 ? std::atol(v[3]) : 0); break;
    }
}
