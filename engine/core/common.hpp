// What a context needs of its run.
#pragma once
#include "engine/core/slots.hpp"
#include <chrono>
#include <optional>
#include <string>

namespace weft::core {
struct Published;  // an event on its way out (engine/core/published.hpp)

struct Common {
    Slots slots;  // committed
    virtual void publish(Published*) = 0;
    virtual std::string id() const = 0;
    virtual std::string key(unsigned token, bool is_new) = 0;  // of the invocation that the token stands for
    virtual std::optional<std::chrono::steady_clock::time_point> deadline() const = 0;

protected:
    ~Common() = default;
};
}
