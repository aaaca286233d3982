// Workloads A to D on Boost.Asio alone: coroutines that wait for each other by post or by channels. usage:
// weft_bench_asio A|B|C|D
#include "tests/bench/measure.hpp"
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/channel.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/version.hpp>
#include <deque>

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using Channel = asio::experimental::channel<void(boost::system::error_code, long)>;

namespace {
std::string named(const char* way) {
    const auto version = std::to_string(BOOST_VERSION / 100'000) + "." + std::to_string(BOOST_VERSION / 100 % 1000);
    return "Asio " + version + ": " + way;
}

// ---- A --------------------------------------------------------------------------------------------------------------
awaitable<void> hop(long n, long& i) {
    auto executor = co_await asio::this_coro::executor;
    while (++i < n) co_await asio::post(executor, use_awaitable);
}
awaitable<long> next(long i) { co_return i + 1; }
awaitable<void> spawn_each(long n, long& i) {
    auto executor = co_await asio::this_coro::executor;
    while (i < n) i = co_await asio::co_spawn(executor, next(i), use_awaitable);
}
void game() {
    const long n = 1'000'000;
    const auto metric = "event, N=" + std::to_string(n);
    const auto measure = [&](const char* way, auto make) {
        asio::io_context io(1);
        long i = 0;
        asio::co_spawn(io, make(i), asio::detached);
        const double began = now();
        io.run();
        require(i == n, "A");
        out(named(way).c_str(), "A", metric.c_str(), (now() - began) / n, "ns");
    };
    measure("post", [&](long& i) { return hop(n, i); });
    measure("co_spawn", [&](long& i) { return spawn_each(n, i); });
}

// ---- B --------------------------------------------------------------------------------------------------------------
const boost::system::error_code none;
awaitable<void> work(Channel& items, Channel& done) {
    for (;;) {
        const long i = co_await items.async_receive(use_awaitable);
        if (i < 0) co_return;
        co_await done.async_send(none, i, use_awaitable);
    }
}
awaitable<void> fan(Channel& items, long k, long repeated) {
    for (long r = 0; r < repeated; ++r)
        for (long i = 0; i < k; ++i) co_await items.async_send(none, i, use_awaitable);
    for (int i = 0; i < 4; ++i) co_await items.async_send(none, -1, use_awaitable);
}
awaitable<void> add(Channel& done, long k, long repeated) {
    long all = 0;
    for (long r = 0; r < repeated; ++r) {
        long sum = 0;
        for (long i = 0; i < k; ++i) {
            const long each = co_await done.async_receive(use_awaitable);
            sum += each;
        }
        all += sum;
    }
    require(all == repeated * k * (k - 1) / 2, "B");
}
void batches() {
    const long k = 1000, repeated = 300;
    asio::io_context io(1);
    Channel items(io, k), done(io, k);
    asio::co_spawn(io, fan(items, k, repeated), asio::detached);
    for (int i = 0; i < 4; ++i) asio::co_spawn(io, work(items, done), asio::detached);
    asio::co_spawn(io, add(done, k, repeated), asio::detached);
    const double began = now();
    io.run();
    out(named("channels").c_str(), "B", "items/s", k * repeated / (now() - began) * 1e9, "1/s");
}

// ---- C: the loop of the agent as one coroutine --------------------------------------------------------------------
awaitable<std::string> ask_model(asio::io_context& io, const std::string& prompt) {
    co_await asio::post(io, use_awaitable);
    co_return std::string(react::model(prompt));
}
awaitable<std::string> answer(asio::io_context& io) {
    react::History history{{"user", "What is 20+22?"}};
    for (;;) {
        const auto prompt = react::format(history);
        auto reply = co_await ask_model(io, prompt);
        auto parsed = react::parse(reply);
        history.emplace_back("assistant", std::move(reply));
        if (parsed.answer) co_return std::move(parsed.text);
        history.emplace_back("user", react::call(parsed));
    }
}
awaitable<void> ask(asio::io_context& io, long& left, std::vector<double>& took) {
    while (left-- > 0) {
        const double began = now();
        const auto text = co_await asio::co_spawn(io, answer(io), use_awaitable);
        require(text == "42", "C");
        took.push_back(now() - began);
    }
}
void agents(const std::string& tag, int width) {
    asio::io_context io(1);
    long left = 100'000;
    std::vector<double> took;
    took.reserve(std::size_t(left));
    for (int i = 0; i < width; ++i) asio::co_spawn(io, ask(io, left, took), asio::detached);
    const double began = now();
    io.run();
    const auto name = named("coroutines");
    out(name.c_str(), "C", (tag + " runs/s").c_str(), double(took.size()) / (now() - began) * 1e9, "1/s");
    out(name.c_str(), "C", (tag + " p50").c_str(), pct(took, .5) / 1e3, "us");
    out(name.c_str(), "C", (tag + " p99").c_str(), pct(took, .99) / 1e3, "us");
}

// ---- D --------------------------------------------------------------------------------------------------------------
awaitable<void> wait_for_human(Channel& answers, long& got) { got = co_await answers.async_receive(use_awaitable); }
void idle_runs() {
    const long m = 100'000;
    asio::io_context io(1);
    const double before = rss();
    std::deque<Channel> answers;
    std::vector<long> got(m, 0);
    for (long i = 0; i < m; ++i)
        asio::co_spawn(io, wait_for_human(answers.emplace_back(io, 1), got[std::size_t(i)]), asio::detached);
    io.poll();
    const auto name = named("coroutines");
    out(name.c_str(), "D", "idle run", (rss() - before) / m, "B");
    const double began = now();
    for (auto& each : answers) require(each.try_send(boost::system::error_code(), 7L), "D");
    io.restart();
    io.run();
    out(name.c_str(), "D", "answer", (now() - began) / m / 1e3, "us/run");
    for (const long each : got) require(each == 7, "D");
}
}

int main(int, char** arguments) {
    switch (arguments[1][0]) {
    case 'A': game(); break;
    case 'B': batches(); break;
    case 'C': agents("seq", 1), agents("conc", 1000); break;
    case 'D': idle_runs(); break;
    }
}
