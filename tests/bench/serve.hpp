// The bare server that workload H compares with: Beast alone, with answers as long as weft's.
#pragma once

namespace bench {
inline constexpr auto token = "a piece of an answer";
int serve_beast();  // prints its port, and serves until it is killed
}
