// The throughput of stores with several databases, in virtual time.
#pragma once
#include <cstddef>
#include <vector>

namespace simulation {
/// Prints a line for each number of databases, of which the first one is 1. False: one of them completes less than 90 %
/// of its share of runs.
bool measure_scale(const std::vector<std::size_t>& sizes);
}
