// Integers whose size and sign are known only at run time, from their table. For engine/json/read.cpp and
// engine/json/write.cpp.
#pragma once
#include "engine/json/shape.hpp"

namespace weft::json_detail {
/// Calls act(T()) with the integer type that a shape of integers or names describes.
decltype(auto) with_integer(const Shape& s, auto&& act) {
    switch (s.size) {
    case 1: return s.is_signed ? act(std::int8_t()) : act(std::uint8_t());
    case 2: return s.is_signed ? act(std::int16_t()) : act(std::uint16_t());
    case 4: return s.is_signed ? act(std::int32_t()) : act(std::uint32_t());
    default: return s.is_signed ? act(std::int64_t()) : act(std::uint64_t());
    }
}
}
