// What was decided about a call that needs an approval, and which tools need none any more in a run
// (steps/agents/common/approvals.hpp).
#pragma once
#include "engine/describe.hpp"
#include "engine/growing.hpp"
#include <string>

namespace weft::agents {
enum class Approval {
    none,
    approved,
    rejected,
    unanswered,  // no person can answer: the call does not run
};
BOOST_DESCRIBE_ENUM(Approval, none, approved, rejected, unanswered)

/// A tool whose calls need no approval any more, as long as it is what it was: described otherwise, or with other
/// arguments, it has another fingerprint (tools::Registry), and is asked about anew.
struct AllowedTool {
    std::string tool, fingerprint;
    friend bool operator==(const AllowedTool&, const AllowedTool&) = default;
};
BOOST_DESCRIBE_STRUCT(AllowedTool, (), (tool, fingerprint))

/// Of a run: those that somebody has allowed for the rest of it.
struct AllowedTools : Growing<AllowedTool> {};
}
