// The memory of a run's events: a slab of equal cells, each as large as the workflow's largest event. A cell never
// moves (chunks double in size); the reducer knows it by its number.
#pragma once
#include "engine/core/machine/definition.hpp"
#include <cstddef>

namespace weft::core {
class Cells {
public:
    struct Cell {
        TypeIndex type;      // `empty` without an event
        std::uint16_t uses;  // consumers that still need it
        Handle next_free;
        void* event() { return this + 1; }
    };
    static constexpr TypeIndex empty = 0xffff;

    explicit Cells(const Definition& d) : definition_(&d), stride_(d.cell_size) {}
    Cells(const Cells&) = delete;
    ~Cells();  // destroys all events

    template <class E> Emitted put(TypeIndex type, E&& e) {
        if (free_ == none) [[unlikely]]
            grow();
        Handle h = free_;
        Cell& cell = (*this)[h];
        ::new (cell.event()) std::remove_cvref_t<E>(std::forward<E>(e));  // after an exception the cell is still free
        free_ = cell.next_free;
        cell = {type, definition_->plan.events[type].count, none};
        return {h, type};
    }
    /// Puts an event that `make` constructs in place into a cell, with so many consumers.
    Handle put_made(TypeIndex type, void (*make)(void*), std::uint16_t uses) {
        if (free_ == none) [[unlikely]]
            grow();
        const Handle h = free_;
        Cell& cell = (*this)[h];
        make(cell.event());
        free_ = cell.next_free;
        cell = {type, uses, none};
        return h;
    }
    const void* memory() const { return first_; }  // of the first cells
    Cell& operator[](Handle h) {
        if (h < 2) [[likely]]
            return *reinterpret_cast<Cell*>(first_ + h * stride_);  // most runs use one or two at a time
        auto i = h + 2;  // chunk k holds the numbers whose i is in [2 << k, 4 << k)
        const auto k = 30u - unsigned(__builtin_clz(i));
        return *reinterpret_cast<Cell*>(chunks_[k - 1] + std::size_t(i - (2u << k)) * stride_);
    }
    /// Ends the use by one consumer; the last one destroys the event.
    void release(Handle h, Cell& cell) {
        if (cell.uses > 1) [[unlikely]] {
            --cell.uses;
            return;
        }
        if (auto destroy = definition_->events[cell.type].destroy) destroy(cell.event());
        cell = {empty, 0, free_};
        free_ = h;
    }
    void release(Handle h) { release(h, (*this)[h]); }
    /// Destroys an event without consumers.
    void discard(Handle h) {
        (*this)[h].uses = 0;
        release(h);
    }

private:
    [[gnu::noinline, gnu::cold]] void grow();
    const Definition* definition_;
    std::byte* first_ = nullptr;  // chunk 0
    Buffer<std::byte*> chunks_;   // the later chunks
    std::uint32_t stride_;
    Handle free_ = none;
};
}
