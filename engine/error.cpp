// The names of the codes, as events, logs and JSON show them.
#include "engine/error.hpp"

namespace weft {
std::string_view name(Code code) noexcept {
    switch (code) {
    case Code::usage: return "usage";
    case Code::configuration: return "configuration";
    case Code::bad_json: return "bad_json";
    case Code::step_failed: return "step_failed";
    case Code::edit_conflict: return "edit_conflict";
    case Code::idle: return "idle";
    case Code::timed_out: return "timed_out";
    case Code::cancelled: return "cancelled";
    case Code::deadlock: return "deadlock";
    case Code::journal: return "journal";
    case Code::model_unreachable: return "model_unreachable";
    case Code::model_refused: return "model_refused";
    case Code::model_failed: return "model_failed";
    case Code::script_mismatch: return "script_mismatch";
    }
    return "unknown";
}
}
