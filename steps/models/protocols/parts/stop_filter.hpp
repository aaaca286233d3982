// Ends a reply before the first stop sequence, even if a server ignores these or the model writes past them.
//
//     StopFilter filter(request.stop);
//     text += filter.pass(delta);         // may hold back the beginning of a stop sequence
//     text += filter.rest();              // at the end of the reply
//
// The result is the same for any division of the text into deltas: the first complete sequence counts.
#pragma once
#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace weft::models {
class StopFilter {
public:
    explicit StopFilter(std::vector<std::string> stops);
    /// Returns the delta itself, or a text that is valid until the next call.
    std::string_view pass(std::string_view delta);
    std::string rest();
    /// True if a sequence may end in this text, or in what a filter in front makes of it.
    bool may_hit(std::string_view text) const;
    bool hit() const noexcept { return hit_; }

private:
    std::vector<std::string> stops_;
    std::bitset<256> ends_;  // the last bytes of the sequences
    std::string held_, passed_;
    bool hit_ = false;
};
}
