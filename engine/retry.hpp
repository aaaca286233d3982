// When a failed step is retried.
//
//     step<fetch>.retry({.attempts = 5, .wait = exponential(100ms, 10s), .when = on<NetworkError>})
//     step<fetch>.retry({.attempts = 100, .elapsed = 2min, .wait = fixed(1s),
//                        .when = on_code<Code::model_unreachable>})
//
// The engine's seed decides the random wait at the failure of an attempt: the same seed gives the same waits. A step
// that waits for its next attempt holds no worker. Cancelled runs are not retried.
#pragma once
#include "engine/error.hpp"
#include <chrono>
#include <exception>

namespace weft {
/// The wait before the n-th retry: first * factor^(n-1), at most `most`; the fraction `jitter` of it is random.
struct Wait {
    std::chrono::nanoseconds first{0},  // wait before the first retry
        most{0};                        // maximum wait
    double factor = 1;                  // growth from each wait to the next
    double jitter = 0;                  // 0: exact; 1: random between zero and the full wait
    /// `random` in [0, 1); 0: the longest wait.
    std::chrono::nanoseconds before_retry(unsigned n, double random = 0) const;
    bool operator==(const Wait&) const = default;
};
constexpr Wait fixed(std::chrono::nanoseconds wait) { return {wait, wait, 1, 0}; }
/// Doubles each time, with full jitter, which spreads the retries of many clients.
constexpr Wait exponential(std::chrono::nanoseconds first, std::chrono::nanoseconds most, double factor = 2,
                           double jitter = 1) {
    return {first, most, factor, jitter};
}

/// How often a failed step begins again, and how long it waits before.
struct Retry {
    using When = bool (*)(const std::exception_ptr&);
    long long attempts = 3;               // total, with the first; 1 to 255
    std::chrono::nanoseconds elapsed{0};  // no attempt starts later after the first one's start; 0: no limit
    Wait wait = exponential(std::chrono::milliseconds(500), std::chrono::seconds(30));
    When when = nullptr;  // null: any exception
    bool operator==(const Retry&) const = default;
};

namespace core {
template <class Error> bool throws(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error&) { return true; } catch (...) {
        return false;
    }
}
}
/// True for exceptions of any of these types and of their derived types.
template <class... E> bool on(const std::exception_ptr& error) { return (core::throws<E>(error) || ...); }
/// True for an Error with any of these codes.
template <Code... codes> bool on_code(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) { return ((e.code() == codes) || ...); } catch (...) {
        return false;
    }
}
}
