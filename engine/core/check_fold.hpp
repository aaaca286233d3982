// Test builds fold each stored tick immediately, and compare the result with the live run's state. Recovery depends on
// their equality.
#pragma once
#include "engine/core/fold.hpp"
#include "engine/core/loop/run_core.hpp"

namespace weft::core {
#ifdef WEFT_CHECK_FOLDS
inline constexpr bool checks_folds = true;
#else
inline constexpr bool checks_folds = false;
#endif
struct FoldCheck {
    Fold fold;
    std::vector<Handle> numbers;  // number of the event in the fold, by cell
    Handle next = 0;
};
/// `cells`: the cell of each event, by the fold's number.
std::shared_ptr<FoldCheck> check_from(const Fold&, const std::map<Handle, Handle>& cells);
/// Call it after the run has taken the tick. Ends the process with a sentence if the states differ.
void check_fold(RunCore&, std::uint64_t seq, const std::string& body, const Tick&);
/// Checks a snapshot before it is stored: read again it must equal the run. `numbers`: the numbers of its events, by
/// cell. Later ticks are folded from there.
void check_snapshot_of(RunCore&, const std::string& body, const std::vector<Handle>& numbers);
}
