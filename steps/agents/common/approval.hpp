// The decision about a call that needs an approval, and the tools that need none for the rest of a run
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

/// A tool whose calls need no more approval while its fingerprint (tools::Registry) stays the same. Another description
/// or other parameters change the fingerprint: then the person is asked again.
struct AllowedTool {
    std::string tool, fingerprint;
    friend bool operator==(const AllowedTool&, const AllowedTool&) = default;
};
BOOST_DESCRIBE_STRUCT(AllowedTool, (), (tool, fingerprint))

/// The slot of the tools that a person has allowed for the rest of the run.
struct AllowedTools : Growing<AllowedTool> {};
}
