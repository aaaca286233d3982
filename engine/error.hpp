// The exception type that weft throws deliberately: a code for programs, a sentence for people. The sentence names the
// culprit and the cure. The codes are in engine/run_status.hpp.
//
//     try { run(...); } catch (const Error& e) { if (e.code() == Code::timed_out) ... }
#pragma once
#include "engine/run_status.hpp"
#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)  // one type in all shared libraries of a program
namespace weft {
class Error : public std::runtime_error {
public:
    Error(Code code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
    Code code() const noexcept { return code_; }

private:
    Code code_;
};
}
#pragma GCC visibility pop
