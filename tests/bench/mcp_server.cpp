// The server trusts its client, keeps no session, and writes each answer with a single system call.
#include "engine/engine.hpp"
#include "engine/net/http_server.hpp"
#include "tests/bench/mcp.hpp"
#include "tests/bench/measure.hpp"
#include "tools/mcp/protocol/message.hpp"
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>

namespace bench {
namespace {
using nlohmann::json;
namespace mcp = weft::tools::mcp;

std::string result_of(const std::string& method, const json& params, bool modern) {
    const std::string begin = modern ? R"({"resultType":"complete",)" : "{";
    if (method == mcp::method::call_tool)
        return begin + R"("content":[{"type":"text","text":)" +
               json("Echo: " + params["arguments"]["message"].get<std::string>()).dump() + "}]}";
    if (method == mcp::method::list_tools)
        return begin + (modern ? R"("ttlMs":3600000,"cacheScope":"public",)" : "") +
               R"("tools":[{"name":"echo","description":"Echoes back the input","inputSchema":{"type":"object",)"
               R"("properties":{"message":{"type":"string"}},"required":["message"]},)"
               R"("annotations":{"readOnlyHint":true}}]})";
    if (method == mcp::method::initialize)
        return R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
               R"("serverInfo":{"name":"bench","version":"1.0"}})";
    if (method == mcp::method::discover)
        return R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},)"
               R"("ttlMs":3600000,"cacheScope":"public",)"
               R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.0"}}})";
    return "{}";
}
/// Returns an empty text if the message is not a request.
std::string answer(std::string_view text) {
    const auto message = json::parse(text);
    if (!message.contains("id") || !message.contains("method")) return {};
    const auto params = message.value("params", json::object());
    return R"({"jsonrpc":"2.0","id":)" + message["id"].dump() + R"(,"result":)" +
           result_of(message["method"], params, mcp::find_meta(params, mcp::meta::version) != nullptr) + "}";
}
void write_all(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = ::write(to, bytes.data(), bytes.size());
        if (n <= 0) std::exit(1);  // the client has closed the connection
        bytes.remove_prefix(std::size_t(n));
    }
}
weft::awaitable<void> serve(weft::net::HttpExchange& exchange) {
    weft::net::HttpReply reply{.status = 405};
    if (exchange.request().method == "POST") {
        reply.body = answer(exchange.request().body);
        reply.status = reply.body.empty() ? 202 : 200;
        if (!reply.body.empty()) reply.headers.push_back({"Content-Type", "application/json"});
    }
    co_await exchange.respond(std::move(reply));
}
}

int serve_mcp_by_pipes(int pause) {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    std::string text, bytes(64 << 10, '\0');
    for (;;) {
        const auto n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (n <= 0) return 0;
        text.append(bytes, 0, std::size_t(n));
        for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
            auto line = answer(std::string_view(text).substr(0, end));
            if (!line.empty()) write_all(STDOUT_FILENO, line += '\n');
            text.erase(0, end + 1);
        }
    }
}
int serve_mcp_by_http() {
    weft::Engine engine;
    weft::net::HttpServer server({}, serve);
    server.listen(engine.first_runtime());
    std::printf("http://127.0.0.1:%d/mcp\n", int(server.port()));
    std::fflush(stdout);
    auto serving = server.run();
    engine.wait(std::move(serving));
    return 0;
}

Child::Child(std::vector<std::string> words) {
    int input[2], output[2];
    require(!pipe2(input, O_CLOEXEC) && !pipe2(output, O_CLOEXEC), "pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    require(!posix_spawnp(&id_, arguments[0], &actions, nullptr, arguments.data(), environ), "the start of a program");
    posix_spawn_file_actions_destroy(&actions);
    ::close(input[0]);
    ::close(output[1]);
    input_ = input[1];
    output_ = output[0];
}
Child::~Child() {
    ::close(input_);
    ::close(output_);
    ::kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
}
void Child::write(const std::string& bytes) const { write_all(input_, bytes); }
std::string Child::read_line() {
    for (;;) {
        if (const auto end = read_.find('\n'); end != read_.npos) {
            auto line = read_.substr(0, end);
            read_.erase(0, end + 1);
            return line;
        }
        char bytes[64 << 10];
        const auto n = ::read(output_, bytes, sizeof bytes);
        require(n > 0, "the end of a program");
        read_.append(bytes, std::size_t(n));
    }
}
std::vector<std::string> this_program(std::vector<std::string> words) {
    words.insert(words.begin(), std::filesystem::read_symlink("/proc/self/exe").string());
    return words;
}
}
