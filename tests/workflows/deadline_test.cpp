// A process ends on request, even if a call in it does not return.
#include "workflows/driver/terminal/deadline.hpp"
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
using weft::driver::ExitDeadline;
using namespace std::chrono_literals;

namespace {
/// Runs a function in its own process. Returns the exit code, or -1 after a signal.
template <class Work> int exit_code_of(Work work) {
    const auto child = ::fork();
    if (child == 0) {
        work();
        std::_Exit(7);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
}
TEST_CASE("a process ends with exit code 0 at its deadline when a call in it never returns") {
    CHECK(exit_code_of([] {
              ExitDeadline deadline(10ms, "a tool does not come back");
              deadline.begin();
              for (;;) ::pause();
          }) == 0);
}
TEST_CASE("a process ends at its deadline when no reader takes its output") {
    CHECK(exit_code_of([] {
              int ends[2] = {-1, -1};
              if (::pipe2(ends, O_NONBLOCK) != 0) return;
              while (::write(ends[1], "x", 1) == 1) {}
              ::fcntl(ends[1], F_SETFL, 0);
              ::dup2(ends[1], STDERR_FILENO);
              ::alarm(30);
              ExitDeadline deadline(10ms, "a tool does not come back");
              deadline.begin();
              for (;;) ::pause();
          }) == 0);
}
TEST_CASE("a process that ends in time has its own exit code, however often its deadline has begun") {
    CHECK(exit_code_of([] {
              ExitDeadline deadline(1h, "a tool does not come back"), never_begun(0ms, "nothing has been asked to end");
              deadline.begin();
              deadline.begin();
          }) == 7);
}
