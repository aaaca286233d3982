// Keeps a key out of a reply, also where it comes in pieces.
//
//     KeyFilter filter(key);
//     text += filter.pass(delta);         // may hold back what could be the beginning of the key
//     text += filter.rest();              // at the end of the reply
//
// However the text is cut into deltas, the result is what Secret::redact makes of the whole.
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
