// The slow paths: large blocks, the first block of a size on a thread, and blocks after the thread's end, which are
// freed.
#include "engine/core/data/recycler.hpp"

namespace weft::core {
namespace {
// A second object, used only on the slow path, because a destructor of the recycler itself would cost each access.
struct ReleaseAtExit {
    bool over = false;
    ~ReleaseAtExit() {
        over = true;
        recycler.release();
    }
};
thread_local ReleaseAtExit release_at_exit;
}
bool Recycler::prepare(Class& k, std::uint32_t limit) noexcept {
    if (k.limit != 0 || release_at_exit.over) return false;  // full; or freed after the thread's end
    k.limit = limit;
    return true;
}
void* Recycler::take_large(std::size_t size) {
    const auto c = (size + large_grain - 1) / large_grain;
    if (c > large_classes) return ::operator new(size);
    if (void* p = take_kept(of_size[classes + c - 1])) return p;
    return ::operator new(c* large_grain);
}
void Recycler::give_large(void* p, std::size_t size) noexcept {
    const auto c = (size + large_grain - 1) / large_grain;
    if (c > large_classes || !keep(of_size[classes + c - 1], p, most_large)) ::operator delete(p);
}
void Recycler::release() noexcept {
    for (auto& k : of_size) {
        while (void* p = k.free) {
            k.free = *static_cast<void**>(p);
            ::operator delete(p);
        }
        k = {};
    }
}
}
