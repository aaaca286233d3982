// Reads and writes the places of databases, by connections of their own.
#include "engine/core/loop/random.hpp"
#include "engine/error.hpp"
#include "engine/store/late_store.hpp"
#include "engine/store/postgres/schema.hpp"
#include "engine/store/postgres_shards.hpp"
#include "engine/store/sharded_store.hpp"
#include "engine/text/hex.hpp"
#include "engine/text/text.hpp"
#include <algorithm>
#include <charconv>
#include <future>
#include <utility>

namespace weft {
using namespace storage;
namespace {
using ShardDeadline = std::chrono::steady_clock::time_point;
constexpr PostgresStatement place_read{
    "weft_place", "select coalesce(store, '')::text, coalesce(number, 0)::int8, coalesce(sizes, '')::text, "
                  "exists (select from weft.runs)::int::int8, "
                  "(select oid::text || ' ' || pg_postmaster_start_time()::text from pg_database "
                  "where datname = current_database()) from weft.meta"};
// The lock waits for the transactions that create runs, and later ones see the new place.
constexpr PostgresStatement place_lock{"weft_place_lock", "lock table weft.runs in share row exclusive mode"};
constexpr PostgresStatement place_write{
    "weft_place_write", "update weft.meta set store = $1::text, number = $2::int8, databases = $3::int8, "
                        "sizes = $4::text"};

std::vector<std::size_t> sizes_in(std::string_view text) {
    std::vector<std::size_t> sizes;
    while (!text.empty()) {
        const auto part = cut_at(text, ',');
        std::from_chars(part.data(), part.data() + part.size(), sizes.emplace_back(0));
    }
    return sizes;
}
ShardPlace read_place(PostgresConnection& connection, ShardDeadline deadline) {
    const auto rows = ask_postgres(connection, place_read, PostgresValues(), deadline);
    return {.store = rows.text(0, 0),
            .number = std::size_t(rows.number(0, 1)),
            .sizes = sizes_in(rows.text(0, 2)),
            .has_runs = rows.number(0, 3) != 0,
            .database = rows.text(0, 4)};
}
void write_place(PostgresConnection& connection, const ShardPlace& place, ShardDeadline deadline) {
    std::string sizes;
    for (const auto size : place.sizes) sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    in_patient_transaction(connection, deadline, [&] {
        ask_postgres(connection, place_lock, PostgresValues(), deadline);
        ask_postgres(connection, place_write,
                     PostgresValues(place.store, std::int64_t(place.number), std::int64_t(place.sizes.back()), sizes),
                     deadline);
    });
}
struct ShardOpening {
    PostgresUrl address;
    ShardDeadline deadline;
    ShardPlace read() const {
        ShardPlace place;
        use_database(address, deadline, [&](PostgresConnection& connection, ShardDeadline until) {
            prepare_database(connection, address, until);
            place = read_place(connection, until);
        });
        return place;
    }
    void settle(const ShardPlace& known, const ShardPlace& place) const {
        if (known == place) return;
        try {
            use_database(address, deadline, [&](PostgresConnection& connection, ShardDeadline until) {
                write_place(connection, place, until);
            });
        } catch (const PostgresError& error) {
            throw Error(Code::configuration,
                        "cannot add a database to the store of '" + address.name() + "': " + error.what() +
                            (error.is_of_rights() ? ": let the owner of the databases open the list once" : ""));
        }
    }
};
/// Opens a database that was away when the store was opened.
std::unique_ptr<Store> open_later(const std::string& url, const ShardPlace& place, const PostgresOptions& options) {
    const auto limit = std::chrono::milliseconds(options.connect_ms);
    const ShardOpening opening{PostgresUrl(url), std::chrono::steady_clock::now() + limit};
    ShardPlace known;
    try {
        known = opening.read();
    } catch (const PostgresError& error) {
        throw Error(Code::configuration, "cannot use the store '" + opening.address.name() + "': " + error.what());
    }
    auto wanted = place;
    wanted.has_runs = known.has_runs;
    wanted.database = known.database;
    const bool fits = known.store == place.store && known.number == place.number;
    if (!fits && (!known.store.empty() || known.has_runs))
        throw Error(Code::configuration, "cannot use the store '" + opening.address.name() +
                                             "': it belongs to another store than the other databases");
    opening.settle(known, wanted);
    return std::make_unique<PostgresStore>(url, options);
}
}
std::unique_ptr<Store> open_postgres_shards(const std::vector<std::string>& urls, const PostgresOptions& options) {
    std::vector<std::future<ShardPlace>> reading;
    std::vector<ShardOpening> openings;
    std::vector<std::string> names;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(options.connect_ms);
    for (const auto& url : urls) {
        openings.push_back({PostgresUrl(url), deadline});
        names.push_back(openings.back().address.name());
    }
    for (const auto& opening : openings)
        reading.push_back(std::async(std::launch::async, [&opening] { return opening.read(); }));
    std::vector<std::optional<ShardPlace>> known(urls.size());
    std::vector<std::string> why(urls.size());
    for (std::size_t i = 0; i < urls.size(); ++i) try {
            known[i] = reading[i].get();
        } catch (const PostgresError& error) { why[i] = "cannot use the store '" + names[i] + "': " + error.what(); }
    if (std::ranges::none_of(known, [](const auto& each) { return each.has_value(); }))
        throw Error(Code::configuration, why.front());
    const auto places = places_of_shards(names, known, hex(core::draw_seed()));
    // The new databases first: an earlier one that knows them refuses the processes that do not.
    for (std::size_t i = urls.size(); i-- > 0;)
        if (known[i]) openings[i].settle(*known[i], places[i]);
    auto own = options;
    own.databases = std::int64_t(urls.size());
    std::vector<std::unique_ptr<Store>> stores;
    for (std::size_t i = 0; i < urls.size(); ++i)
        if (known[i]) stores.push_back(std::make_unique<PostgresStore>(urls[i], own));
        else {
            if (own.note) own.note({why[i], true});
            const auto open = [url = urls[i], place = places[i], own] { return open_later(url, place, own); };
            stores.push_back(std::make_unique<LateStore>(open, why[i]));
        }
    return ShardedStore::owning(std::move(stores), places.front().sizes);
}
}
