// Fingerprints of tool descriptions by SHA-256: an attacker cannot find another description with the same fingerprint.
//
//     const auto print = sha256("Reads a file.");     // 64 letters: 0 to 9, a to f
#pragma once
#include <string>
#include <string_view>

namespace weft::tools {
/// Throws Error{configuration} if the system's cryptographic library fails.
std::string sha256(std::string_view text);
}
