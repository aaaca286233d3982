// Reuses memory: coroutine frames, attempts and slots of the same size class, last in, first out. Per thread and
// without locks, because a run stays on its loop. Each class keeps a bounded number of blocks, so blocks that are
// allocated on one thread and freed on another do not accumulate; a thread's end frees its blocks. Under
// AddressSanitizer every block comes from malloc, because recycling would hide a use after free.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_NO_RECYCLING
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_NO_RECYCLING
#endif
#endif

namespace weft::core {
struct Recycler {
    static constexpr std::size_t grain = 32, classes = 32;               // blocks up to 992 bytes
    static constexpr std::size_t large_grain = 512, large_classes = 16;  // blocks up to 8 KiB, such as large frames
    static constexpr std::uint32_t most = 4096, most_large = 512;        // maximum number of kept blocks per class
    struct Class {
        void* free;
        std::uint32_t kept, limit;  // the limit is 0 until the cleanup at the thread's end is registered
    };
    Class of_size[classes + large_classes];

    void* take(std::size_t size) {
#ifdef WEFT_NO_RECYCLING
        return ::operator new(size);
#else
        const auto c = (size + grain - 1) / grain;
        if (c >= classes) [[unlikely]]
            return take_large(size);
        if (void* p = take_kept(of_size[c])) [[likely]]
            return p;
        return ::operator new(c* grain);
#endif
    }
    void give(void* p, [[maybe_unused]] std::size_t size) noexcept {
#ifndef WEFT_NO_RECYCLING
        const auto c = (size + grain - 1) / grain;
        if (c >= classes) [[unlikely]]
            return give_large(p, size);
        if (keep(of_size[c], p, most)) [[likely]]
            return;
#endif
        ::operator delete(p);
    }
    void release() noexcept;

private:
    static void* take_kept(Class& k) {
        void* p = k.free;
        if (p) [[likely]] {
            k.free = *static_cast<void**>(p);
            --k.kept;
        }
        return p;
    }
    static bool keep(Class& k, void* p, std::uint32_t limit) noexcept {
        if (k.kept >= k.limit && !prepare(k, limit)) [[unlikely]]
            return false;
        *static_cast<void**>(p) = k.free;
        k.free = p;
        ++k.kept;
        return true;
    }
    void* take_large(std::size_t);
    void give_large(void*, std::size_t) noexcept;
    static bool prepare(Class&, std::uint32_t limit) noexcept;
};
#pragma GCC visibility push(default)  // one for all shared libraries of a program, or a thread's end would miss some
// Constant-initialised and trivially destructible, so an access is one move from the thread register.
inline constinit thread_local Recycler recycler{};
#pragma GCC visibility pop

struct Recycled {  // base class for objects that are made and destroyed with events
    static void* operator new(std::size_t n) { return recycler.take(n); }
    static void operator delete(void* p, std::size_t n) noexcept { recycler.give(p, n); }
};
}
