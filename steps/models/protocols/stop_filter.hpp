// Ends a reply before the first stop sequence, also where a server does not know them or the model writes past them.
//
//     StopFilter filter(request.stop);
//     text += filter.pass(delta);         // may hold back what could be the beginning of a stop sequence
//     text += filter.rest();              // at the end of the reply
//
// However the text is cut into deltas, the result is the same: the sequence that is complete first counts.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace weft::models {
class StopFilter {
public:
    explicit StopFilter(std::vector<std::string> stops);
    std::string pass(std::string_view delta);
    std::string rest();
    bool hit() const noexcept { return hit_; }

private:
    std::vector<std::string> stops_;
    std::string held_;
    bool hit_ = false;
};
}
