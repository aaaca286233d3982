// Decides about places without a database. The databases of a store know equal sizes, unless a process has died while
// it added one: then some know the longer list.
#include "engine/error.hpp"
#include "engine/store/postgres_shards.hpp"
#include "engine/store/sharded_store.hpp"
#include <algorithm>
#include <map>
#include <utility>

namespace weft::storage {
namespace {
[[noreturn]] void refuse(const std::string& why) { throw Error(Code::configuration, "cannot use the store: " + why); }
std::string count(std::size_t n) { return std::to_string(n) + (n == 1 ? " database" : " databases"); }
/// Divides the limits of queues among all databases. Before, only those with limits had any.
void divide_limits(std::vector<ShardPlace>& places) {
    std::map<std::string, QueueLimits> totals;
    for (auto& place : places)
        for (auto& share : std::exchange(place.limits, {}))
            if (const auto [at, is_new] = totals.try_emplace(share.queue, share); !is_new) add_share(at->second, share);
    for (const auto& [queue, total] : totals) try {
            auto shares = shares_of(total, places.size());
            for (std::size_t i = 0; i < places.size(); ++i) places[i].limits.push_back(std::move(shares[i]));
        } catch (const Error& error) { refuse(error.what()); }
}
/// Gives a database the share that an unfinished growth has left to give. The limit itself is not stored, so the share
/// may be one lower. The last database was written first, and has the lowest share of each queue.
void complete_limits(ShardPlace& place, std::size_t before, std::size_t now, const ShardPlace& last) {
    const auto reduce = [&](std::optional<std::uint32_t>& share) {
        if (share && *share > 0) share = std::max(1U, std::uint32_t(*share * std::uint64_t{before} / now));
    };
    for (auto& share : place.limits) {
        reduce(share.running);
        reduce(share.running_per_key);
        reduce(share.starts);
    }
    for (const auto& share : last.limits)
        if (!std::ranges::count(place.limits, share.queue, &QueueLimits::queue)) place.limits.push_back(share);
    std::ranges::sort(place.limits, {}, &QueueLimits::queue);
}
}
std::vector<ShardPlace> places_of_shards(const std::vector<std::string>& names,
                                         const std::vector<std::optional<ShardPlace>>& known,
                                         const std::string& new_store) {
    const ShardPlace* newest = nullptr;  // the last one that knows the longest list
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (std::ranges::count(names, names[i]) > 1) refuse(names[i] + " was given twice");
        for (std::size_t j = 0; j < i && known[i]; ++j)
            if (known[j] && !known[i]->database.empty() && known[j]->database == known[i]->database)
                refuse(names[i] + " is the same database as " + names[j]);
        if (!known[i] || known[i]->store.empty()) continue;
        const auto& place = *known[i];
        if (newest && newest->store != place.store)
            refuse(names[i] + " belongs to another store than the databases before it");
        if (place.number != i)
            refuse(names[i] + " is number " + std::to_string(place.number + 1) +
                   " of the databases of its store, and was given as number " + std::to_string(i + 1) +
                   ": give them in their order");
        if (!newest || newest->sizes.size() <= place.sizes.size()) newest = &place;
    }
    auto sizes = newest ? newest->sizes : std::vector<std::size_t>();
    const auto store = newest ? newest->store : new_store;
    if (!sizes.empty() && sizes.back() > names.size())
        refuse("it has " + count(sizes.back()) + ", and " + std::to_string(names.size()) +
               " were given: give all of them");
    if (!newest && known.front() && (known.front()->has_runs || !known.front()->limits.empty())) sizes = {1};
    const bool began_alone = !sizes.empty() && sizes.front() == 1;  // the first database is older than the list
    const auto before = sizes.empty() ? 0 : sizes.back();
    const bool grows = before < names.size();
    const auto size_of = [&](std::size_t i) {
        return known[i]->sizes.empty() ? std::size_t(i == 0 && began_alone) : known[i]->sizes.back();
    };
    // An unfinished growth has only written new databases: the limits of the old ones are true, and perhaps newer.
    const auto old = newest && newest->sizes.size() > 1 ? newest->sizes[newest->sizes.size() - 2] : 0;
    bool is_begun = old > 0;
    for (std::size_t i = 0; i < old; ++i) is_begun = is_begun && known[i] && size_of(i) == old;
    if (grows) sizes.push_back(names.size());
    std::vector<ShardPlace> places;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (grows && !known[i])
            refuse(names[i] + " does not answer, and " + count(names.size() - before) +
                   " of the list would be new: a database is added while all of them answer");
        const bool is_new = known[i] && known[i]->store.empty() && !(i == 0 && (!newest || began_alone));
        if (is_new && known[i]->has_runs)
            refuse(names[i] +
                   " has runs of its own: a database is added before it has runs, and only the first one of a "
                   "new store may have some");
        if (is_new && !known[i]->limits.empty())
            refuse(names[i] + " has limits of queues of its own: remove them before it is added");
        auto& place = places.emplace_back(known[i].value_or(ShardPlace{}));
        if (is_begun && i >= old) place.limits.clear();
        if (!is_begun && known[i] && i < before && size_of(i) < before)
            complete_limits(place, size_of(i), before, *newest);
        place.store = store, place.number = i, place.sizes = sizes;
    }
    if (grows || is_begun) divide_limits(places);
    return places;
}
}
