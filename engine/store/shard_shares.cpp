// Divides the limits of a queue among databases.
#include "engine/error.hpp"
#include "engine/store/sharded_store.hpp"

namespace weft::storage {
namespace {
using Limit = std::optional<std::uint32_t>;

void check_share(const QueueLimits& limits, Limit limit, std::size_t count, const char* what) {
    if (!limit || *limit >= count) return;
    throw Error(Code::usage, "a limit of " + std::to_string(*limit) + what + " for the queue " + limits.queue +
                                 " cannot be divided among " + std::to_string(count) +
                                 " databases, which count on their own: give at least " + std::to_string(count) +
                                 ", or keep the queue in a store of one database");
}
Limit share_of(Limit limit, std::size_t i, std::size_t count) {
    if (limit) *limit = std::uint32_t(*limit / count + (i < *limit % count));
    return limit;
}
void add(Limit& sum, Limit share) {
    if (share) sum = sum.value_or(0) + *share;
}
}
std::vector<QueueLimits> shares_of(const QueueLimits& limits, std::size_t count) {
    if (limits.running != 0U) check_share(limits, limits.running, count, " runs at once");  // 0: the queue rests
    check_share(limits, limits.running_per_key, count, " runs for each key");
    check_share(limits, limits.starts, count, " starts");
    std::vector<QueueLimits> shares(count, limits);
    for (std::size_t i = 0; i < count; ++i) {
        shares[i].running = share_of(limits.running, i, count);
        shares[i].running_per_key = share_of(limits.running_per_key, i, count);
        shares[i].starts = share_of(limits.starts, i, count);
    }
    return shares;
}
void add_share(QueueLimits& sum, const QueueLimits& share) {
    add(sum.running, share.running);
    add(sum.running_per_key, share.running_per_key);
    add(sum.starts, share.starts);
}
}
