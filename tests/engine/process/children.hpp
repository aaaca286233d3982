// Helpers for tests of child processes: scripts for a shell, received lines, and checks for live processes.
#pragma once
#include "engine/process/process.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/limit.hpp"
#include <chrono>
#include <doctest/doctest.h>
#include <fstream>
#include <sys/wait.h>

namespace test {
using namespace weft;
using process::Process;
using namespace std::chrono_literals;

inline process::Options script(std::string text) { return {.command = "sh", .arguments = {"-c", std::move(text)}}; }
inline awaitable<std::vector<std::string>> rest_of(Process& process) {
    std::vector<std::string> lines;
    while (auto line = co_await process.read_line()) lines.push_back(std::move(line->text));
    co_return lines;
}
inline awaitable<std::string> next_line(Process& process) {
    auto line = co_await process.read_line();
    co_return line ? line->text : "(the end)";
}
struct Outcome {
    std::vector<std::string> lines;
    process::ExitStatus status;
    std::string errors;
};
/// Returns the whole output of a program without input.
inline Outcome outcome_of(process::Options options) {
    return testing::await([](process::Options o) -> awaitable<Outcome> {
        Process process(*co_await this_runtime(), std::move(o));
        process.close_input();
        Outcome outcome;
        outcome.lines = co_await rest_of(process);
        outcome.status = co_await process.ended();
        outcome.errors = process.last_errors();
        co_return outcome;
    }(std::move(options)));
}
inline std::string refusal_of(process::Options options) {
    try {
        outcome_of(std::move(options));
    } catch (const Error& error) { return error.what(); }
    return "(none)";
}
/// Whether a process exists and is not a zombie.
inline bool lives(int id) {
    std::ifstream file("/proc/" + std::to_string(id) + "/stat");
    std::string text;
    std::getline(file, text);
    const auto state = text.rfind(") ");
    return state != text.npos && text[state + 2] != 'Z' && text[state + 2] != 'X';
}
/// Waits until a killed process has ended.
template <class Condition> bool comes_true(Condition condition) {
    for (const auto end = std::chrono::steady_clock::now() + test::limit; std::chrono::steady_clock::now() < end;) {
        if (condition()) return true;
        timespec pause{0, 1'000'000};
        ::nanosleep(&pause, nullptr);
    }
    return false;
}
/// Whether this program has no child, also no zombie; a zombie is not reaped.
inline bool is_childless() {
    siginfo_t found{};
    return ::waitid(P_ALL, 0, &found, WEXITED | WNOHANG | WNOWAIT) == -1 && errno == ECHILD;
}

/// A loop in virtual time: pipes work in real time, and only advance() moves the time.
struct Bench {
    testing::ManualClock clock;  // outlives the waits on the loop
    asio::io_context io{1};
    Runtime runtime{io.get_executor(), &clock};
    template <class Condition> bool until(Condition condition) {
        for (const auto end = std::chrono::steady_clock::now() + test::limit; std::chrono::steady_clock::now() < end;) {
            if (condition()) return true;
            io.restart();
            io.run_one_for(5ms);
        }
        return false;
    }
    void settle() {  // bounded, because a pipe may be readable for ever
        io.restart();
        for (int i = 0; i < 200 && io.poll_one() > 0; ++i) {}
    }
    template <class T> std::shared_ptr<std::optional<T>> begin(awaitable<T> work) {
        auto result = std::make_shared<std::optional<T>>();
        spawn(runtime, std::move(work), [result](std::exception_ptr error, T value) {
            if (error) std::rethrow_exception(error);
            *result = std::move(value);
        });
        return result;
    }
};
}
