// Cuts bytes in every way that must not change a parser's result: at each position, into single bytes, and at random.
//
//     for_all_cuts(bytes, [&](const std::vector<std::string_view>& pieces) { CHECK(read(pieces) == expected); });
#pragma once
#include <random>
#include <string_view>
#include <vector>

namespace weft::testing {
template <class Check> void for_all_cuts(std::string_view bytes, Check check) {
    using Pieces = std::vector<std::string_view>;
    for (std::size_t at = 0; at <= bytes.size(); ++at) check(Pieces{bytes.substr(0, at), bytes.substr(at)});
    Pieces single;
    for (std::size_t at = 0; at < bytes.size(); ++at) single.push_back(bytes.substr(at, 1));
    check(single);
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
        Pieces pieces;
        for (auto rest = bytes; !rest.empty();) {
            const auto n = std::uniform_int_distribution<std::size_t>(1, 1 + bytes.size() / 5)(random);
            pieces.push_back(rest.substr(0, n));
            rest.remove_prefix(std::min(n, rest.size()));
        }
        check(pieces);
    }
}
}
