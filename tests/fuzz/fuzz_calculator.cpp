// Any bytes as an expression give a finite number or a ToolError.
#include "tools/calculator.hpp"
#include <cmath>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        if (!std::isfinite(weft::tools::calculate({reinterpret_cast<const char*>(data), size}))) std::abort();
    } catch (const weft::tools::ToolError&) {}
    return 0;
}
