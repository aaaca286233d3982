// The slow paths: the first block of a size on a thread, and blocks after the thread's end, which are freed.
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
bool Recycler::prepare(Class& k) noexcept {
    if (k.limit == most || release_at_exit.over) return false;  // full; or freed after the thread's end
    k.limit = most;
    return true;
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
