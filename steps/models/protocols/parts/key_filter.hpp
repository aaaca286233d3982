// Keeps a key out of a reply, even if it comes in pieces.
//
//     KeyFilter filter(key);
//     text += filter.pass(delta);         // may hold back the possible beginning of the key
//     text += filter.rest();              // at the end of the reply
//
// For any division into deltas, the result equals Secret::redact of the whole text.
#pragma once
#include "steps/models/secret.hpp"

namespace weft::models {
class KeyFilter {
public:
    explicit KeyFilter(Secret key) : key_(std::move(key)) {}
    std::string pass(std::string_view delta);
    std::string rest();

private:
    Secret key_;
    std::string held_;
};
}
