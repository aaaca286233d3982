// A local server of chat completions for workload F, in its own process, so that its cost is not counted with its
// clients. It prints its port, and ends when its standard input ends. usage: weft_bench_stub
//
//     POST /20/v1/chat/completions       the reply comes 20 ms after the request
//
// Any request leads the react agent through three turns: `add` twice, then the answer. The number of replies in the
// request gives the turn; the variable WEFT_BENCH_TURNS changes the number of turns. A streamed reply is 21 events in
// one write; the variable WEFT_BENCH_DELTAS changes the number of its 17 pieces of text.
#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;

namespace {
const int turns = std::getenv("WEFT_BENCH_TURNS") ? std::atoi(std::getenv("WEFT_BENCH_TURNS")) : 3;
const std::size_t pieces = std::getenv("WEFT_BENCH_DELTAS") ? std::atoi(std::getenv("WEFT_BENCH_DELTAS")) : 17;

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') out += "\\n";
        else out += c;
    }
    return out;
}
std::string text_of(int turn) {
    if (turn + 1 == turns) return "Thought: I know enough to answer without any more tools.\nAnswer: 42";
    const int n = turn / 2;  // more than four equal calls would end the run
    return "Thought: I need to add these two numbers.\nAction: add\nAction Input: {\"a\":" + std::to_string(20 + n) +
           ",\"b\":" + std::to_string(22 - n) + "}";
}
std::string whole_reply(int turn) {
    const auto body = R"({"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"stub",)"
                      R"("choices":[{"index":0,"message":{"role":"assistant","content":")" +
                      escaped(text_of(turn)) +
                      R"(","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":500,)"
                      R"("completion_tokens":20,"total_tokens":520},"system_fingerprint":"fp_1"})";
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}
std::string streamed_reply(int turn) {
    std::string body;
    const auto event = [&body](const std::string& rest) {
        body += R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"stub",)"
                R"("system_fingerprint":"fp_1","choices":)" +
                rest + "}\n\n";
    };
    const auto delta = [&event](const std::string& members, const std::string& finish) {
        event(R"([{"index":0,"delta":{)" + members + R"(},"logprobs":null,"finish_reason":)" + finish +
              R"(}],"usage":null)");
    };
    delta(R"("role":"assistant","content":"","refusal":null)", "null");
    const auto text = text_of(turn);
    for (std::size_t i = 0; i < pieces; ++i) {
        const auto begin = text.size() * i / pieces, end = text.size() * (i + 1) / pieces;
        delta(R"("content":")" + escaped(text.substr(begin, end - begin)) + '"', "null");
    }
    delta("", R"("stop")");
    event(R"([],"usage":{"prompt_tokens":500,"completion_tokens":20,"total_tokens":520})");
    body += "data: [DONE]\n\n";
    char size[24];
    std::snprintf(size, sizeof size, "%zx\r\n", body.size());
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + (size + body) +
           "\r\n0\r\n\r\n";
}
const std::string& reply(bool stream, int turn) {
    static const auto all = [] {
        std::array<std::vector<std::string>, 2> made;
        for (int i = 0; i < turns; ++i) made[0].push_back(whole_reply(i)), made[1].push_back(streamed_reply(i));
        return made;
    }();
    return all[stream][turn];
}

const char* find(std::string_view text, std::string_view what) {
    return static_cast<const char*>(memmem(text.data(), text.size(), what.data(), what.size()));
}
long number_after(std::string_view text, std::string_view what) {
    const auto* at = find(text, what);
    long n = 0;
    if (at) std::from_chars(at + what.size(), text.data() + text.size(), n);
    return n;
}
int turn_of(std::string_view body) {
    constexpr std::string_view said = R"("role":"assistant")";
    int turn = 0;
    for (const char* at; turn + 1 < turns && (at = find(body, said)); ++turn)
        body.remove_prefix(static_cast<std::size_t>(at - body.data()) + said.size());
    return turn;
}

awaitable<void> serve(tcp::socket socket) {
    asio::steady_timer timer(socket.get_executor());
    std::string in;
    for (;;) {
        std::size_t head = 0, whole = 0;
        while (!whole || in.size() < whole) {
            char bytes[16384];
            boost::system::error_code ended;
            const auto n = co_await socket.async_read_some(asio::buffer(bytes),
                                                           asio::redirect_error(use_awaitable, ended));
            if (ended) co_return;
            in.append(bytes, n);
            const auto* end = whole ? nullptr : find(in, "\r\n\r\n");
            if (!end) continue;
            head = static_cast<std::size_t>(end - in.data()) + 4;
            whole = head + number_after(std::string_view(in).substr(0, head), "\r\nContent-Length: ");
        }
        const auto body = std::string_view(in).substr(head, whole - head);
        const auto& answer = reply(find(body, R"("stream":true)"), turn_of(body));
        if (const auto delay = number_after(std::string_view(in).substr(0, head), "POST /")) {
            timer.expires_after(std::chrono::milliseconds(delay));
            co_await timer.async_wait(use_awaitable);
        }
        boost::system::error_code ended;
        co_await asio::async_write(socket, asio::buffer(answer), asio::redirect_error(use_awaitable, ended));
        if (ended) co_return;
        in.erase(0, whole);
    }
}
awaitable<void> listen(tcp::acceptor acceptor) {
    for (;;) {
        auto socket = co_await acceptor.async_accept(use_awaitable);
        socket.set_option(tcp::no_delay(true));
        asio::co_spawn(acceptor.get_executor(), serve(std::move(socket)), asio::detached);
    }
}
}

int main() {
    asio::io_context io(1);
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    acceptor.listen(4096);
    std::printf("%d\n", acceptor.local_endpoint().port());
    std::fflush(stdout);
    asio::co_spawn(io, listen(std::move(acceptor)), asio::detached);
    asio::posix::stream_descriptor input(io, dup(STDIN_FILENO));
    char ignored;
    input.async_read_some(asio::buffer(&ignored, 1), [&io](auto...) { io.stop(); });
    io.run();
}
