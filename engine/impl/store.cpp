// The sum is XXH3 of 64 bits, which costs next to nothing beside the text that it is of. Against intent it is no
// defence, and meant to be none.
#include "engine/store.hpp"
#include <array>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace weft {
using namespace storage;
std::uint64_t storage::chained_sum(std::uint64_t before, std::uint64_t seq, std::string_view body) {
    std::array<unsigned char, 16> place{};  // the same on every machine
    for (std::size_t i = 0; i < place.size(); ++i)
        place[i] = static_cast<unsigned char>((i < 8 ? before : seq) >> 8 * (i % 8));
    return XXH3_64bits_withSeed(body.data(), body.size(), XXH3_64bits(place.data(), place.size()));
}
}
