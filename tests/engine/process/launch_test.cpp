// The initial state of a child process, and failed starts.
#include "tests/engine/process/children.hpp"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
using namespace test;
using Strings = std::vector<std::string>;

TEST_CASE("arguments reach a program as they are, without a shell") {
    process::Options options{.command = "printf", .arguments = {"%s\n", "$HOME", "a b", "*", "'", ""}};
    CHECK(outcome_of(options).lines == Strings{"$HOME", "a b", "*", "'", ""});
}
TEST_CASE("a child has the given environment and no other variable") {
    ::setenv("WEFT_TEST_SECRET", "hidden", 1);
    process::Options options{.command = "/usr/bin/env", .environment = {{"A", "1"}, {"B", "x=y"}}};
    CHECK(outcome_of(options).lines == Strings{"A=1", "B=x=y"});

    const auto basic = process::basic_environment();
    CHECK(basic.contains("PATH"));
    CHECK_FALSE(basic.contains("WEFT_TEST_SECRET"));
    ::unsetenv("WEFT_TEST_SECRET");
}
TEST_CASE("a child starts in its folder, and a path with a slash begins there") {
    const Folder folder;
    folder.write("say", "#!/bin/sh\npwd\n");
    ::chmod(folder.path("say").c_str(), 0700);
    CHECK(outcome_of({.command = "./say", .folder = folder.path("")}).lines ==
          Strings{std::filesystem::canonical(folder.path("")).string()});
}
TEST_CASE("a program is searched in the PATH of its environment, but never in a relative folder") {
    const Folder folder;
    folder.write("weft_says", "#!/bin/sh\necho found\n");
    ::chmod(folder.path("weft_says").c_str(), 0700);
    const auto path = folder.path("");
    CHECK(outcome_of({.command = "weft_says", .environment = {{"PATH", "/nowhere:" + path}}}).lines ==
          Strings{"found"});
    CHECK(refusal_of({.command = "weft_says", .environment = {{"PATH", ":.:" + path.substr(1)}}, .folder = "/"})
              .find("in none of the folders of PATH") != std::string::npos);
}
TEST_CASE("a child inherits no other descriptor of its parent, even without the close-on-exec flag") {
    const int open = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC
    const int other = ::dup2(open, 200);
    const auto lines = outcome_of({.command = "ls", .arguments = {"/proc/self/fd"}}).lines;
    CHECK(lines == Strings{"0", "1", "2", "3"});  // ls itself has opened the last one
    ::close(open);
    ::close(other);
}
TEST_CASE("a child has the signal handling of a new program, and no terminal") {
    struct sigaction before {
    }, ignored{};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignored, &before);
    sigset_t blocked, mask;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &blocked, &mask);
    const auto lines = outcome_of({.command = "grep", .arguments = {"-E", "Sig(Blk|Ign)", "/proc/self/status"}}).lines;
    const auto ids = outcome_of(script("cut -d' ' -f5,6,7 /proc/$$/stat; echo $$")).lines;
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::sigaction(SIGINT, &before, nullptr);

    CHECK(lines == Strings{"SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"});
    REQUIRE(ids.size() == 2);
    CHECK(ids[0] == ids[1] + " " + ids[1] + " 0");  // its own group and session, and no terminal
}
TEST_CASE("a program starts also when the parent's standard streams are closed") {
    const auto run = [] {
        for (int stream : {0, 1, 2}) ::close(stream);
        const auto outcome = outcome_of(script("echo out; echo err >&2"));
        return outcome.lines == Strings{"out"} && outcome.errors == "err\n";
    };
    const pid_t copy = ::fork();
    if (copy == 0) ::_exit(run() ? 0 : 1);
    int status = 0;
    ::waitpid(copy, &status, 0);
    CHECK(status == 0);
}
TEST_CASE("a failed start names the program, the reason and the cure") {
    const Folder folder;
    folder.write("plain", "#!/bin/sh\n");
    ::chmod(folder.path("plain").c_str(), 0600);
    folder.write("lost", "#!/nowhere/interpreter\n");
    folder.write("text", "neither one nor the other");
    for (const char* name : {"lost", "text"}) ::chmod(folder.path(name).c_str(), 0700);
    const process::Environment in_folder{{"PATH", folder.path("")}};
    const auto says = [](const process::Options& options, const char* words) {
        const auto sentence = refusal_of(options);
        CAPTURE(sentence);
        CHECK(sentence.find(words) != sentence.npos);
        CHECK(sentence.find(options.command) != sentence.npos);
    };
    says({.command = "weft_no_such_program"}, "install it, or give its whole path");
    says({.command = "/nowhere/at/all"}, "there is no file /nowhere/at/all");
    says({.command = folder.path("plain")}, "is not executable: chmod +x");
    says({.command = "plain", .environment = in_folder}, "is not executable: chmod +x");
    says({.command = folder.path("lost")}, "an interpreter that does not exist");
    says({.command = folder.path("text")}, "not a program of this machine");
    says({.command = "/usr"}, "/usr is a folder");
    says({.command = "true", .folder = "/nowhere/at/all"}, "there is no folder /nowhere/at/all");
    says({.command = "true", .arguments = {std::string(300'000, 'x')}}, "longer than the system allows");
    CHECK(refusal_of({.command = ""}).find("name one") != std::string::npos);
    CHECK(refusal_of({.command = "echo", .arguments = {std::string("a\0b", 3)}}).find("zero byte") !=
          std::string::npos);
    CHECK(refusal_of({.command = "echo", .environment = {{"A=B", "1"}}}).find("\"A=B\"") != std::string::npos);
    CHECK(is_childless());
}
