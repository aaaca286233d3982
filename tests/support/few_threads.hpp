// Executes a test in a process for which the system starts no thread at first, then one, then two, and so on.
//
//     const auto tried = with_ever_more_threads([] { return is_refused() ? Attempt::refused : Attempt::begun; }, 5);
//     if (tried == FewThreads::no_limit) MESSAGE(no_limit_of_threads);
//     else CHECK(tried == FewThreads::begun);
//
// The limit (RLIMIT_NPROC) is one of a user, and root has none: a process of root becomes the user 65534. Root of a
// container without the right to do so is another user outside, who has the limit.
#pragma once
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace test {
enum class Attempt { refused, begun, wrong };
enum class FewThreads { begun, no_limit, wrong };
inline constexpr auto no_limit_of_threads =
    "not tested: this system limits no threads of this user, who may exceed all limits (CAP_SYS_RESOURCE)";

inline bool limit_threads(rlimit& most) {
    if (::getrlimit(RLIMIT_NPROC, &most) != 0) return false;
    [[maybe_unused]] const bool is_other_user = ::geteuid() != 0 || ::setuid(65534) == 0;
    most.rlim_cur = 0;
    if (::setrlimit(RLIMIT_NPROC, &most) != 0) return false;
    try {
        std::thread([] {}).join();
        return false;
    } catch (const std::system_error&) { return true; }
}
/// Returns `begun` if the act begins after at least so many refusals.
template <class Act> FewThreads with_ever_more_threads(Act act, int least_refusals) {
    constexpr int begun = 0, no_limit = 1, wrong = 2;
    const auto child = ::fork();
    if (child == 0) {
        rlimit most{};
        if (!limit_threads(most)) ::_exit(no_limit);
        for (int refusals = 0; ::setrlimit(RLIMIT_NPROC, &most) == 0; ++most.rlim_cur, ++refusals) {
            const auto attempt = act();
            if (attempt != Attempt::refused)
                ::_exit(attempt == Attempt::begun && refusals >= least_refusals ? begun : wrong);
        }
        ::_exit(wrong);
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return FewThreads::wrong;
    return WEXITSTATUS(status) == begun      ? FewThreads::begun
           : WEXITSTATUS(status) == no_limit ? FewThreads::no_limit
                                             : FewThreads::wrong;
}
}
