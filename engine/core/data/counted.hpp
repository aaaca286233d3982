// A count of owners. Atomic once the process has a second thread; a plain number before, as in std::shared_ptr.
#pragma once
#include <ext/atomicity.h>

namespace weft::core {
class OwnerCount {
public:
    void add() noexcept { __gnu_cxx::__atomic_add_dispatch(&count_, 1); }
    /// Returns false if the count is 0: the object is being destroyed.
    bool try_add() noexcept {
        auto count = __atomic_load_n(&count_, __ATOMIC_ACQUIRE);
        while (count > 0)
            if (__atomic_compare_exchange_n(&count_, &count, count + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
                return true;
        return false;
    }
    /// Returns true for the last owner.
    bool remove() noexcept { return __gnu_cxx::__exchange_and_add_dispatch(&count_, -1) == 1; }
    bool only_one() const noexcept { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE) == 1; }

private:
    _Atomic_word count_ = 1;
};
}
