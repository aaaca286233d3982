// The bare server that workload H compares with: Beast and nothing else, with answers that are as long as weft's.
#pragma once

namespace bench {
inline constexpr auto token = "a piece of an answer";
int serve_beast();  // prints its port; until it is killed
}
