// The names of the causes, as logs show them.
#include "engine/observer.hpp"
#include "engine/ending.hpp"

namespace weft {
std::string_view name(Cause cause) noexcept {
    if (const auto* ending = ending_of(cause)) return ending->name;
    return cause == Cause::stopped ? "stopped" : "none";
}
}
