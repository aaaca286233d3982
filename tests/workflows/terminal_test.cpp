// The driver's decisions about signals and keys, by values.
#include "workflows/driver/terminal/escapes.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include <csignal>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
using weft::driver::Escapes;
using weft::driver::stop_signal;
using weft::driver::StopSignal;

namespace {
/// Whether the editor reads these keys from a terminal's code.
bool gives(std::wstring_view sent, std::wstring_view keys) {
    Escapes escapes;
    std::wstring all;
    for (const wchar_t c : sent) all += escapes.pass(c);
    return all == keys;
}
/// Calls a function in a child process, because signals and their handlers are those of a whole process.
template <class Condition> bool holds_in_child(Condition condition) {
    const auto child = ::fork();
    if (child == 0) ::_exit(condition() ? 7 : 1);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}
}

TEST_CASE("a second signal has no effect within 0.3 s, and ends the process after that") {
    constexpr std::int64_t start = 5'000'000'000, millisecond = 1'000'000;
    CHECK(stop_signal(0, start) == StopSignal::first);
    for (const auto later : {std::int64_t(0), std::int64_t(1), millisecond, 299 * millisecond})
        CHECK(stop_signal(start, start + later) == StopSignal::same);
    for (const auto later : {300 * millisecond, 500 * millisecond, 3'600'000 * millisecond})
        CHECK(stop_signal(start, start + later) == StopSignal::again);
    CHECK(stop_signal(start, start - millisecond) == StopSignal::same);  // handled first on another thread
}
TEST_CASE("SIGTERM or SIGHUP right after a Ctrl-C is a separate request") {
    for (const int end : {SIGTERM, SIGHUP})
        CHECK(holds_in_child([end] {
            ::signal(SIGHUP, SIG_DFL);  // nohup may have ignored it
            weft::driver::Interrupts interrupts;
            ::raise(SIGINT);
            interrupts.forget();
            const bool is_forgotten = !interrupts.seen();
            ::raise(SIGINT);
            ::raise(end);
            interrupts.forget();
            pollfd woken{interrupts.descriptor(), POLLIN, 0};
            return is_forgotten && interrupts.seen() && interrupts.terminated() && ::poll(&woken, 1, 0) == 1;
        }));
}
TEST_CASE("a signal has no effect when it was ignored at the start of the process") {
    for (const int ignored : {SIGINT, SIGTERM, SIGHUP})
        CHECK(holds_in_child([ignored] {
            ::signal(ignored, SIG_IGN);
            const weft::driver::Interrupts interrupts;
            ::raise(ignored);
            return !interrupts.seen() && !interrupts.terminated();
        }));
}
TEST_CASE("an arrow moves by a word when Ctrl or Alt is held, in each terminal's code") {
    for (const auto* left : {L"\x1B[1;5D", L"\x1B[1;3D", L"\x1B[5D", L"\x1B[1;6D", L"\x1BO5D", L"\x1BOd", L"\x1B\x62"})
        CHECK(gives(left, L"\x1B\x62"));
    for (const auto* right : {L"\x1B[1;5C", L"\x1B[1;3C", L"\x1B[5C", L"\x1B[1;9C", L"\x1BO5C", L"\x1BOc", L"\x1B\x66"})
        CHECK(gives(right, L"\x1B\x66"));
    for (const auto* plain : {L"\x1B[D", L"\x1BOD", L"\x1B[1;2D", L"\x1B\x1B[D"}) CHECK(gives(plain, L"\x1B[D"));
    CHECK(gives(L"\x1B[A\x1BOB", L"\x1B[A\x1B[B"));
}
TEST_CASE("Home, End and Delete have their function in each terminal's code") {
    for (const auto* home : {L"\x1B[H", L"\x1BOH", L"\x1B[1~", L"\x1B[7~", L"\x1B[1;5H"}) CHECK(gives(home, L"\x01"));
    for (const auto* end : {L"\x1B[F", L"\x1BOF", L"\x1B[4~", L"\x1B[8~", L"\x1B[1;5F"}) CHECK(gives(end, L"\x05"));
    CHECK(gives(L"\x1B[3~", L"\x1B[3~"));
    CHECK(gives(L"\x1B[3;5~", L"\x1B\x64"));
}
TEST_CASE("an escape sequence leaves no letter in the line when it is not a key of the editor") {
    for (const auto* sent :
         {L"\x1B]11;rgb:0000/0000/0000\x07", L"\x1B]11;rgb:ffff/ffff/ffff\x1B\\", L"\x1B[24;80R", L"\x1B[?1;2c",
          L"\x1B[>0;276;0c", L"\x1B[I", L"\x1B[O", L"\x1B[15~", L"\x1B[15;5~", L"\x1B[[A", L"\x1BOP", L"\x1B[201~",
          L"\x1BP1$r0m\x1B\\", L"\x1B[97;5u", L"\x1B[<0;10;20M", L"\x1B[2;5~", L"\x1B[?2004;1$y"}) {
        CHECK(gives(sent, L""));
        CHECK(gives(L"say " + std::wstring(sent) + L"hi", L"say hi"));
    }
    CHECK(gives(L"\x1B[200~", L"\x1B[200~"));  // a paste begins
}
TEST_CASE("a line is kept when an escape sequence breaks off") {
    CHECK(gives(L"a\x1B[1;\rb", L"a\rb"));
    CHECK(gives(L"a\x1B]11;rgb\rb", L"a\rb"));
    CHECK(gives(L"a\x1B[1;\x1B[Db", L"a\x1B[Db"));
    CHECK(gives(L"a\x1B]1\x1B[Db", L"a\x1B[Db"));
    for (const auto* key : {L"\x1BX", L"\x1B^", L"\x1B_"})
        CHECK(gives(std::wstring(key) + L"hi", std::wstring(key) + L"hi"));
    CHECK(gives(L"\x1Bx\u00e9\u4e2d", L"\x1Bx\u00e9\u4e2d"));
}
