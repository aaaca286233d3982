// The sum is CRC-64, which finds every damage of one place; against intent it is no defence, and meant to be none.
#include "engine/store.hpp"
#include <boost/crc.hpp>

namespace weft {
using namespace storage;
std::string_view name(RunStatus status) noexcept {
    switch (status) {
    case RunStatus::ready: return "ready";
    case RunStatus::running: return "running";
    case RunStatus::waiting: return "waiting";
    case RunStatus::done: return "done";
    case RunStatus::failed: return "failed";
    case RunStatus::timed_out: return "timed_out";
    case RunStatus::cancelled: break;
    }
    return "cancelled";
}
std::uint64_t storage::chained_sum(std::uint64_t before, std::uint64_t seq, std::string_view body) {
    boost::crc_optimal<64, 0x42f0e1eba9ea3693, ~0ull, ~0ull, true, true> sum;
    for (auto number : {before, seq})
        for (int i = 0; i < 8; ++i) sum.process_byte(static_cast<unsigned char>(number >> 8 * i));
    sum.process_bytes(body.data(), body.size());
    return sum.checksum();
}
}
