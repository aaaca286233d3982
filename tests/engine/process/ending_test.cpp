// Ends of a child process: by itself, by stop(), with its Process, with its loop, with this program.
#include "engine/process/reap.hpp"
#include "tests/engine/process/children.hpp"
#include <boost/asio/detached.hpp>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>
using namespace test;
using Strings = std::vector<std::string>;

namespace {
awaitable<process::ExitStatus> stop(Process& process) { return process.stop(); }
// Starts a script, and waits for its first line, the id of a process that it has started.
int begin_with_id(Bench& bench, Process& process) {
    const auto line = bench.begin(next_line(process));
    REQUIRE(bench.until([&] { return line->has_value(); }));
    return std::stoi(**line);
}
}

TEST_CASE("an exit code differs from a signal") {
    CHECK(outcome_of(script("exit 3")).status.sentence() == "exited with code 3");
    CHECK(outcome_of(script("exit 0")).status.ok());
    const auto crashed = outcome_of(script("kill -SEGV $$")).status;
    CHECK(crashed.signal == SIGSEGV);
    CHECK_FALSE(crashed.ok());
    CHECK(crashed.sentence() == "was ended by signal 11 (Segmentation fault)");
    CHECK(process::ExitStatus().sentence() == "has ended in a way that is not known");
}
TEST_CASE("a child's last output is read before its end is reported") {
    const auto outcome = outcome_of(script("echo 'out of memory' >&2; kill -ABRT $$"));
    CHECK(outcome.errors == "out of memory\n");
    CHECK(outcome.status.signal == SIGABRT);
}
TEST_CASE("a child that ends with its input is stopped without a signal, and stop may be called twice") {
    Bench bench;
    Process process(bench.runtime, script("cat; exit 5"));
    const auto first = bench.begin(stop(process)), second = bench.begin(stop(process));
    REQUIRE(bench.until([&] { return first->has_value() && second->has_value(); }));
    CHECK((*first)->code == 5);
    CHECK((*second)->code == 5);
    CHECK(is_childless());
}
TEST_CASE("a child gets SIGTERM when it outlives its input by the given time, and no earlier") {
    const Folder folder;
    Bench bench;
    Process process(bench.runtime, script("trap 'exit 4' TERM; sleep 1000 >&- 2>&- & echo $$; wait"));
    begin_with_id(bench, process);
    const auto status = bench.begin(stop(process));
    bench.settle();
    bench.clock.advance(2s - 1ns);
    bench.settle();
    CHECK_FALSE(status->has_value());
    bench.clock.advance(1ns);
    REQUIRE(bench.until([&] { return status->has_value(); }));
    CHECK((*status)->code == 4);
}
TEST_CASE("a child is killed with all of its group when it ignores SIGTERM until its time is over") {
    Bench bench;
    Process process(bench.runtime, script("trap '' TERM; sleep 1000 & echo $!; wait"));
    const int grandchild = begin_with_id(bench, process);
    const auto status = bench.begin(stop(process));
    bench.settle();
    bench.clock.advance(2s);
    bench.settle();
    CHECK_FALSE(status->has_value());
    bench.settle();
    CHECK(lives(grandchild));
    bench.clock.advance(2s);
    REQUIRE(bench.until([&] { return status->has_value(); }));
    CHECK((*status)->signal == SIGKILL);
    CHECK(comes_true([&] { return !lives(grandchild); }));
    CHECK(is_childless());
}
TEST_CASE("processes in a child's group have the same time to end as the child, and are killed then") {
    const Folder folder;
    const auto write = "trap 'echo told > " + folder.path("told") + "; exit' TERM; sleep 1000 >&- 2>&- & echo $$; wait";
    Bench bench;
    Process process(bench.runtime, {.command = "sh", .arguments = {"-c", "sh -c \"$1\" & exit 0", "sh", write}});
    const int grandchild = begin_with_id(bench, process);
    const auto ended = bench.begin(process.ended());
    REQUIRE(bench.until([&] { return ended->has_value(); }));
    CHECK(lives(grandchild));

    const auto status = bench.begin(stop(process));
    bench.settle();
    bench.clock.advance(2s);
    REQUIRE(bench.until([&] { return status->has_value(); }));
    CHECK(folder.names() == Strings{"told"});
    CHECK(comes_true([&] { return !lives(grandchild); }));
}
TEST_CASE("processes that a child leaves without its pipes end when the child's output has ended") {
    Bench bench;
    Process process(bench.runtime, script("sleep 1000 <&- >&- 2>&- & echo $!"));
    const int grandchild = begin_with_id(bench, process);
    REQUIRE(bench.until([&] { return !lives(grandchild); }));
    CHECK(process.status().ok());
}
TEST_CASE("a process in its own session survives, and delays the stop of its parent no longer than the time limits") {
    Bench bench;
    Process process(bench.runtime, script("setsid sh -c 'echo $$; exec sleep 1000' & wait"));
    const int daemon = begin_with_id(bench, process);

    const auto status = bench.begin(stop(process));
    bench.settle();
    bench.clock.advance(2s);
    REQUIRE(bench.until([&] { return process.status().known; }));
    bench.settle();
    CHECK_FALSE(status->has_value());  // the daemon has the output open
    bench.clock.advance(2s);
    REQUIRE(bench.until([&] { return status->has_value(); }));

    CHECK((*status)->signal == SIGTERM);
    CHECK(lives(daemon));
    ::kill(daemon, SIGKILL);
    CHECK(comes_true([&] { return !lives(daemon); }));
    CHECK(is_childless());
}
TEST_CASE("a child that writes without end is stopped, and its output is dropped") {
    Bench bench;
    Process process(bench.runtime, {.command = "yes", .arguments = {std::string(4000, 'y')}});
    const auto status = bench.begin(stop(process));
    bench.settle();
    bench.clock.advance(2s);
    REQUIRE(bench.until([&] { return status->has_value(); }));
    CHECK((*status)->signal == SIGTERM);
}
TEST_CASE("the destructor kills the group of a surviving child, and does not wait for it") {
    Bench bench;
    int grandchild = 0;
    {
        Process process(bench.runtime, script("trap '' TERM HUP; sleep 1000 & echo $!; wait"));
        grandchild = begin_with_id(bench, process);
    }
    CHECK(comes_true([&] { return !lives(grandchild); }));
    CHECK(comes_true(is_childless));
}
TEST_CASE("a slowly dying process blocks no caller, and leaves no zombie") {
    const auto launched = process::launch({.command = "sleep", .arguments = {"1000"}});
    const int handle = launched.handle.number();
    ::fcntl(handle, F_SETFL, O_NONBLOCK | ::fcntl(handle, F_GETFL));  // like a loop
    CHECK_FALSE(process::reap(weft::Descriptor(::fcntl(handle, F_DUPFD_CLOEXEC, 3))).known);
    CHECK_FALSE(is_childless());
    ::kill(launched.id, SIGKILL);
    CHECK(comes_true(is_childless));
}
TEST_CASE("a waiter for a child learns of its end when the Process is destroyed") {
    Bench bench;
    auto process = std::make_unique<Process>(bench.runtime, process::Options{.command = "cat"});
    const auto lines = bench.begin(rest_of(*process));
    const auto status = bench.begin(process->ended());
    bool failed = false;
    spawn(bench.runtime, process->write(std::string(8'000'000, '\n')),
          [&](std::exception_ptr error) { failed = error != nullptr; });
    bench.settle();
    process.reset();
    bench.settle();
    CHECK(lines->has_value());
    CHECK(status->has_value());
    CHECK(failed);
}
TEST_CASE("a callback of standard error may destroy the Process") {
    Bench bench;
    std::unique_ptr<Process> process;
    auto options = script("echo one >&2; echo two >&2; cat");
    options.on_error_line = [&](std::string_view) { process.reset(); };
    process = std::make_unique<Process>(bench.runtime, options);
    CHECK(bench.until([&] { return process == nullptr; }));
    CHECK(comes_true(is_childless));
}
TEST_CASE("a Process may outlive its loop, which ends the child") {
    int id = 0;
    std::optional<Process> process;
    {
        asio::io_context io{1};
        process.emplace(Runtime{io.get_executor()}, script("trap '' TERM HUP; while :; do sleep 1000; done"));
        id = process->id();
        spawn(io.get_executor(), rest_of(*process), asio::detached);
        io.poll();
        CHECK(lives(id));
    }
    process.reset();
    CHECK(comes_true(is_childless));
}
TEST_CASE("a child's end is reported although other code has taken its status") {
    Bench bench;
    Process process(bench.runtime, {.command = "cat"});
    process.close_input();
    REQUIRE(::waitpid(process.id(), nullptr, 0) == process.id());
    const auto status = bench.begin(stop(process));
    REQUIRE(bench.until([&] { return status->has_value(); }));
    CHECK_FALSE((*status)->known);
}
TEST_CASE("a child sees the end of its input when this program is killed") {
    const Folder folder;
    const pid_t copy = ::fork();
    if (copy == 0) {
        asio::io_context io{1};
        Process process(Runtime{io.get_executor()}, script("echo begun > " + folder.path("begun") +
                                                           "; cat > /dev/null; echo end > " + folder.path("end")));
        comes_true([&] { return std::filesystem::exists(folder.path("begun")); });
        ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(copy, nullptr, 0);
    CHECK(comes_true([&] { return folder.read("end") == "end\n"; }));
}
TEST_CASE("two hundred children at once each repeat their input, and all end") {
    const auto said = testing::await([]() -> awaitable<std::size_t> {
        const auto* runtime = co_await this_runtime();
        std::vector<Process> children;
        const process::Options options{.command = "cat"};
        for (int i = 0; i < 200; ++i) children.emplace_back(*runtime, options);
        for (std::size_t i = 0; i < children.size(); ++i) co_await children[i].write(std::to_string(i) + "\n");
        std::size_t right = 0;
        for (std::size_t i = 0; i < children.size(); ++i) {
            const auto line = co_await next_line(children[i]);
            const auto status = co_await children[i].stop();
            right += line == std::to_string(i) && status.ok();
        }
        co_return right;
    }());
    CHECK(said == 200);
    CHECK(is_childless());
}
TEST_CASE("an ended child leaves no descriptor open") {
    const auto open = [] {
        const std::filesystem::directory_iterator all("/proc/self/fd");
        return std::distance(begin(all), end(all));
    };
    const auto before = open();
    outcome_of(script("exit 0"));
    refusal_of({.command = "weft_no_such_program"});
    refusal_of({.command = "true", .arguments = {std::string(300'000, 'x')}});
    CHECK(open() == before);
}
