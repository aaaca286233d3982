// The kinds of failures between client and server, for code that decides on retries.
//
//     try { co_await client.send(request); }
//     catch (const NetError& e) { if (e.failure() == Failure::tls_refused) ... }  // what() is a sentence
//
// Cancellation is not one of them: it is system_error(operation_aborted).
#pragma once
#include "engine/error.hpp"

namespace weft::net {
enum class Failure {
    name_lookup,    // the host's name has no address
    name_service,   // the look-up failed, perhaps temporarily
    connect,        // no server listens there, or it is unreachable
    proxy_refused,  // the proxy refuses the connection; a retry does not help
    tls_refused,    // the certificate or the TLS version is not acceptable; a retry does not help
    tls_failed,     // the handshake broke off
    timed_out,      // see TimeoutPhase
    reset,          // the connection ended before the answer began, or broke
    truncated,      // the answer ended too early
    protocol,       // the answer is not HTTP, or in an unsupported form
    too_large       // above a limit of the client
};
/// The time limit that passed; drip: far too few bytes came.
enum class TimeoutPhase { none, connect, first_byte, idle, drip, total };

class NetError : public Error {
public:
    NetError(Failure failure, const std::string& sentence, TimeoutPhase phase = TimeoutPhase::none)
        : Error(code_of(failure), sentence), failure_(failure), phase_(phase) {}
    Failure failure() const noexcept { return failure_; }
    TimeoutPhase phase() const noexcept { return phase_; }

private:
    static Code code_of(Failure failure) {
        const bool answered = failure == Failure::truncated || failure == Failure::protocol ||
                              failure == Failure::too_large;
        return answered ? Code::model_failed : Code::model_unreachable;
    }
    Failure failure_;
    TimeoutPhase phase_;
};
}
