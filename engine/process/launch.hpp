// Starts a program with three pipes, without a shell, and leaves nothing of ours to it. Internal to engine/process.
#pragma once
#include "engine/process/process.hpp"
#include <sys/types.h>
#include <utility>

namespace weft::process {
/// A file descriptor that is closed with it.
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
struct Launched {
    pid_t id = -1;                     // of the process, its group and its session
    Descriptor handle;                 // a pidfd
    Descriptor input, output, errors;  // our ends, which do not block
};
/// Throws Error as Process does.
Launched launch(const Options&);
/// The file that would be started.
std::string find_program(const Options&);
}
