// A count of owners, and a reference that counts. With libstdc++ the count is atomic once the process has a second
// thread; before, it is a plain number, as in std::shared_ptr. With another library it is always atomic.
#pragma once
#include <utility>
#ifdef __GLIBCXX__
#include <ext/atomicity.h>
#endif

namespace weft::core {
class OwnerCount {
public:
    void add() noexcept {
#ifdef __GLIBCXX__
        __gnu_cxx::__atomic_add_dispatch(&count_, 1);
#else
        __atomic_fetch_add(&count_, 1, __ATOMIC_RELAXED);
#endif
    }
    /// Returns false if the count is 0: the object is being destroyed.
    bool try_add() noexcept {
        auto count = __atomic_load_n(&count_, __ATOMIC_ACQUIRE);
        while (count > 0)
            if (__atomic_compare_exchange_n(&count_, &count, count + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
                return true;
        return false;
    }
    /// Returns true for the last owner.
    bool remove() noexcept {
#ifdef __GLIBCXX__
        return __gnu_cxx::__exchange_and_add_dispatch(&count_, -1) == 1;
#else
        return __atomic_fetch_sub(&count_, 1, __ATOMIC_ACQ_REL) == 1;
#endif
    }
    bool only_one() const noexcept { return has(1); }
    bool has(int count) const noexcept { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE) == count; }

private:
    int count_ = 1;
};
/// A counted reference to an object, by its hold() and drop(). Null after a move only.
template <class T> class CountedRef {
public:
    explicit CountedRef(T* object) : object_(object) { object_->hold(); }
    CountedRef(const CountedRef& o) : object_(o.object_) {
        if (object_) object_->hold();
    }
    CountedRef(CountedRef&& o) noexcept : object_(std::exchange(o.object_, nullptr)) {}
    CountedRef& operator=(CountedRef o) noexcept {
        std::swap(object_, o.object_);
        return *this;
    }
    ~CountedRef() {
        if (object_) object_->drop();
    }
    T* operator->() const { return object_; }
    T& operator*() const { return *object_; }

private:
    T* object_;
};
}
