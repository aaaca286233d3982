// Fingerprints of what tools say of themselves, by SHA-256: whoever changes a tool would gladly find another one that
// has the same hash.
//
//     const auto print = sha256("Reads a file.");     // 64 letters: 0 to 9, a to f
#pragma once
#include <string>
#include <string_view>

namespace weft::tools {
/// Throws Error{configuration} if the system's library of cryptography refuses.
std::string sha256(std::string_view text);
}
