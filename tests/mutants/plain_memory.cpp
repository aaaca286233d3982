// Linked first, so that the whole program uses these functions: every block is from malloc, as under the address
// sanitizer.
#define WEFT_NO_RECYCLING
#include "engine/core/data/recycler.hpp"

namespace {
[[gnu::used]] const auto take = &weft::core::Recycler::take;
[[gnu::used]] const auto give = &weft::core::Recycler::give;
}
