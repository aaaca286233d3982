// The interface of a run for its contexts.
#pragma once
#include "engine/core/data/slots.hpp"
#include <chrono>
#include <optional>
#include <string>

namespace weft::core {
struct Published;  // an event for the stream (engine/core/data/published.hpp)

struct RunInterface {
    Slots slots;  // committed
    virtual void publish(Published*) = 0;
    virtual std::string id() const = 0;
    virtual bool replaying() const = 0;
    /// The key of the token's invocation. `number`: the context's cache, 0 at first.
    virtual std::string key(unsigned token, std::uint64_t& number) = 0;
    virtual std::optional<std::chrono::steady_clock::time_point> deadline() const = 0;
    /// The JSON of RunOptions::values; empty: no values.
    virtual const std::string& values() const = 0;

protected:
    ~RunInterface() = default;
};
}
