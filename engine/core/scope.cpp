// The first wait of a cancelled scope is told so; the second one is not begun.
#include "engine/core/scope.hpp"
#include <utility>

namespace weft::core {
void Scope::refuse() {
    if (!std::exchange(delivered_, true)) throw_aborted();
}
}
