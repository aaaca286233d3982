// Finds files that other users of this machine can open, such as a file of keys with the mode 0644.
//
//     if (others_can_open("tokens.txt")) std::cerr << "tokens.txt can be read by other users: chmod 600 tokens.txt\n";
//
// A file in a folder that is closed to others counts as closed. So does a missing file, and an executable one: file
// systems without permissions show all their files so, and chmod does not change them.
#pragma once
#include <filesystem>

namespace weft {
bool others_can_open(const std::filesystem::path&);
}
