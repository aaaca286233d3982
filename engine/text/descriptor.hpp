// Owns a file descriptor, and closes it.
//
//     const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
//     if (file.number() < 0) throw Error(Code::configuration, path + " cannot be read");
#pragma once
#include <unistd.h>
#include <utility>

namespace weft {
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const noexcept { return number_; }  // negative: none
    int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};
}
