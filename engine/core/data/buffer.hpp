// A growing array of plain values: 16 bytes, and a push of five instructions, because growth is out of line.
// (std::vector's inlined growth costs more registers than the whole path of an event.) The first `inside` values are in
// the object itself, for arrays that are usually short.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace weft::core {
template <class T, std::uint32_t inside = 0> class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() : data_(place()) {}
    explicit Buffer(std::size_t n) : Buffer() {
        reserve(n);
        size_ = std::uint32_t(n);
        std::fill(data_, data_ + n, T{});
    }
    Buffer(const Buffer& o) : Buffer() { *this = o; }
    Buffer& operator=(const Buffer& o) {
        reserve(o.size_);
        if (this != &o) std::copy(o.begin(), o.end(), data_);
        size_ = o.size_;
        return *this;
    }
    ~Buffer() {
        if (data_ != place()) std::free(static_cast<void*>(data_));
    }

    // The parameter is a value, to stay in registers: a wide read of two narrow fields on the stack would stall for
    // about ten nanoseconds, until both have reached the cache.
    void push_back(T value) {
        if (size_ == capacity_) [[unlikely]]
            return grow_for(value);
        data_[size_++] = value;
    }
    void reserve(std::size_t n) {
        if (n > capacity_) move_to(n);
    }
    void clear() { size_ = 0; }
    void pop_back() { --size_; }
    std::uint32_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    operator std::span<const T>() const { return {data_, size_}; }
    bool operator==(const Buffer& o) const { return std::equal(begin(), end(), o.begin(), o.end()); }

private:
    struct NoInner {};
    struct Inner {
        alignas(T) std::byte bytes[std::max(inside, 1u) * sizeof(T)];  // a size of 0 does not compile
    };
    T* place() {
        if constexpr (inside == 0) return nullptr;
        else return reinterpret_cast<T*>(&inner_);
    }
    [[gnu::noinline, gnu::cold]] void grow_for(T value) {  // and stores it, so that the caller keeps no register
        const std::size_t factor = data_ == place() ? 4 : 2;
        move_to(std::max<std::size_t>(2, capacity_ * factor));
        data_[size_++] = value;
    }
    [[gnu::noinline, gnu::cold]] void move_to(std::size_t n) {  // room for n values
        const bool moves_out = data_ == place();
        void* p = std::realloc(moves_out ? nullptr : static_cast<void*>(data_), n * sizeof(T));
        if (!p) throw std::bad_alloc();
        if (moves_out)
            for (std::uint32_t i = 0; i < size_; ++i) static_cast<T*>(p)[i] = data_[i];
        data_ = static_cast<T*>(p);
        capacity_ = std::uint32_t(n);
    }
    T* data_;
    std::uint32_t size_ = 0, capacity_ = inside;
    [[no_unique_address]] std::conditional_t<inside != 0, Inner, NoInner> inner_;
};
}
