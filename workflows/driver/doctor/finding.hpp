// A finding of `weft doctor`, and the checks that make them. No check writes, and each runs on a thread of its own,
// because a host or a file system may hang.
//
//     bool hangs = false;
//     auto findings = driver::run_checks({{"clock", driver::check_clock}}, 4s, hangs);
//
// No text has a key or a password: addresses come without user, path and query.
#pragma once
#include "workflows/driver/options.hpp"

namespace weft::driver {
enum class FindingMark : std::uint8_t { ok, missing, wrong };
struct Finding {
    std::string about;
    FindingMark mark = FindingMark::ok;
    std::string text, cure;
    bool blocks = false;  // no agent can run as asked

    /// Makes it wrong, adds to its text, and returns it.
    Finding& refuse(const std::string& more, const std::string& remedy);
    /// The same for what no agent can run with.
    Finding& block(const std::string& more, const std::string& remedy);
};
using Findings = std::vector<Finding>;
struct DoctorCheck {
    std::string about;
    std::function<Findings()> find;
};
/// Runs all checks at once. A check that throws, or has not ended in time, gives one finding. Threads of such checks
/// continue: end the process without destructors if `hangs` is set.
Findings run_checks(const std::vector<DoctorCheck>&, std::chrono::milliseconds limit, bool& hangs);

Findings check_settings();  // keys, addresses of servers, proxies
// Those with `longest` wait so long for a server's answer.
Findings check_model(const catalog::AgentOptions&, std::chrono::milliseconds longest);  // an agent's, and its server
Findings check_ollama(std::chrono::milliseconds longest);                               // its models
Findings check_store(const std::string& name, std::chrono::milliseconds longest);       // empty: none is named
Findings check_database(const std::string& file);                                       // empty: the sample
Findings check_certificates();
Findings check_libpq();
Findings check_terminal();
Findings check_clock();
}
