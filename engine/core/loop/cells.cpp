// Allocates cells in chunks that double and never move.
#include "engine/core/loop/cells.hpp"
#include "engine/core/data/recycler.hpp"
#include <cassert>

namespace weft::core {
void Cells::grow() {
    assert(free_ == none);
    std::uint32_t k = first_ ? chunks_.size() + 1 : 0;
    Handle first = (2u << k) - 2, count = 2u << k;
    auto* chunk = static_cast<std::byte*>(recycler.take(std::size_t(count) * stride_));
    if (k == 0) first_ = chunk;
    else chunks_.push_back(chunk);
    for (Handle h = first + count; h-- > first;) {
        (*this)[h] = {empty, 0, free_};
        free_ = h;
    }
}
Cells::~Cells() {
    for (std::uint32_t k = 0; first_ && k <= chunks_.size(); ++k) {
        Handle first = (2u << k) - 2, count = 2u << k;
        for (Handle h = first; h < first + count; ++h)
            if (auto& cell = (*this)[h]; cell.type != empty)
                if (auto destroy = definition_->events[cell.type].destroy) destroy(cell.event());
        recycler.give(k == 0 ? first_ : chunks_[k - 1], std::size_t(count) * stride_);
    }
}
}
