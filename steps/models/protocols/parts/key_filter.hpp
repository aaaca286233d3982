// Keeps a key out of a reply, even if it comes in pieces.
//
//     KeyFilter filter(key);
//     text += filter.pass(delta);         // may hold back the possible beginning of the key
//     text += filter.rest();              // at the end of the reply
//
// For any division into deltas, the result equals Secret::redact of the whole text.
#pragma once
#include "steps/models/secret.hpp"
#include <bitset>

namespace weft::models {
class KeyFilter {
public:
    explicit KeyFilter(const Secret& key);  // must outlive the filter
    explicit KeyFilter(Secret&&) = delete;
    /// Returns the delta itself, or a text that is valid until the next call.
    std::string_view pass(std::string_view delta);
    bool holds() const noexcept { return !held_.empty(); }
    std::string rest();

private:
    const Secret& key_;
    std::bitset<256> firsts_;  // the first bytes of the key's forms
    std::string held_, passed_;
};
}
