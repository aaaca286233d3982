// Starts a program with three pipes, without a shell, and with no other descriptors. Internal to engine/process.
#pragma once
#include "engine/process/process.hpp"
#include <sys/types.h>
#include <utility>

namespace weft::process {
/// Owns a file descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();
    int number() const noexcept { return number_; }
    int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};
struct LaunchedProcess {
    pid_t id = -1;                     // number of the process, its group and its session
    Descriptor handle;                 // a pidfd
    Descriptor input, output, errors;  // this program's ends, non-blocking
};
/// Throws the errors of Process's constructor.
LaunchedProcess launch(const Options&);
/// Returns the file of the program.
std::string find_program(const Options&);
}
