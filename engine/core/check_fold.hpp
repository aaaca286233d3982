// In the builds of tests each stored tick is folded at once, and the state that comes of it compared with that of the
// live run. That is the promise which recovery rests on.
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
    std::vector<Handle> numbers;  // of the events in the run's cells, as the fold knows them
    Handle next = 0;
};
/// `cells`: by the fold's number of an event, its cell.
std::shared_ptr<FoldCheck> check_from(const Fold&, const std::map<Handle, Handle>& cells);
/// After the run has taken the tick. Ends the process with a sentence if the states differ.
void check_fold(RunCore&, std::uint64_t seq, const std::string& body, const Tick&);
/// A snapshot that is about to be stored, with the numbers of its events by the run's cells: read again it has to give
/// what the run is. The ticks that follow are folded from there.
void check_snapshot_of(RunCore&, const std::string& body, const std::vector<Handle>& numbers);
}
