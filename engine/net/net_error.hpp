// What can go wrong between us and a server, for code that decides whether to try again.
//
//     try { co_await client.send(request); }
//     catch (const NetError& e) { if (e.failure() == Failure::tls_refused) ... }  // what() is a sentence
//
// Cancellation is not among them: it stays system_error(operation_aborted).
#pragma once
#include "engine/error.hpp"

namespace weft::net {
enum class Failure {
    name_lookup,    // the host's name has no address
    name_service,   // the look-up failed for now; that may be temporary
    connect,        // no server listens there, or it cannot be reached
    proxy_refused,  // the proxy does not let us through; trying again does not help
    tls_refused,    // the certificate or the version is not to be trusted; trying again does not help
    tls_failed,     // the handshake broke off
    timed_out,      // see Phase
    reset,          // the connection ended before the answer began, or broke
    truncated,      // the answer ended too early
    protocol,       // what came is not HTTP, or not of a kind that we read
    too_large       // past a limit of ours
};
/// Which time limit passed; drip: bytes came, but far too few.
enum class Phase { none, connect, first_byte, idle, drip, total };

class NetError : public Error {
public:
    NetError(Failure failure, const std::string& sentence, Phase phase = Phase::none)
        : Error(code_of(failure), sentence), failure_(failure), phase_(phase) {}
    Failure failure() const noexcept { return failure_; }
    Phase phase() const noexcept { return phase_; }

private:
    static Code code_of(Failure failure) {
        const bool answered = failure == Failure::truncated || failure == Failure::protocol ||
                              failure == Failure::too_large;
        return answered ? Code::model_failed : Code::model_unreachable;
    }
    Failure failure_;
    Phase phase_;
};
}
