// The names of the causes, as logs show them.
#include "engine/observer.hpp"

namespace weft {
std::string_view name(Cause cause) noexcept {
    switch (cause) {
    case Cause::none: return "none";
    case Cause::stopped: return "stopped";
    case Cause::failed: return "failed";
    case Cause::timed_out: return "timed_out";
    case Cause::cancelled: return "cancelled";
    }
    return "none";
}
}
