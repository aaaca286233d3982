// Reads and writes the places of databases, by connections of their own.
#include "engine/core/loop/random.hpp"
#include "engine/error.hpp"
#include "engine/store/late_store.hpp"
#include "engine/store/postgres/call.hpp"
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
// Lets one process after the other add databases, and fails without the right to do so; no other work waits for it.
constexpr PostgresStatement growth_lock{"weft_growth_lock", "select 1::int8 from weft.meta for update"};
// The locks wait for the transactions that create runs, claim them within limits, or set limits. Later ones see the new
// place. These transactions lock the tables in the same order.
constexpr PostgresStatement limits_lock{"weft_limits_lock", "lock table weft.queues in exclusive mode"};
constexpr PostgresStatement place_lock{"weft_place_lock", "lock table weft.runs in share row exclusive mode"};
constexpr PostgresStatement place_write{
    "weft_place_write", "update weft.meta set store = $1::text, number = $2::int8, databases = $3::int8, "
                        "sizes = $4::text"};
constexpr PostgresStatement shares_read{"weft_shares",
                                        "select " WEFT_POSTGRES_LIMITS "from weft.queues q order by name"};
// An empty text is no limit.
constexpr PostgresStatement shares_write{
    "weft_shares_write",
    "with gone as (delete from weft.queues where name <> all($1::text[])) "
    "insert into weft.queues (name, per, running, running_per_key, starts, seconds, tokens, filled_at) "
    "select name, per, nullif(running, '')::int8, nullif(running_per_key, '')::int8, nullif(starts, '')::int8, "
    "seconds, "
    "  greatest(1, nullif(starts, '')::float8 / seconds), clock_timestamp() "
    "from unnest($1, $2::text[], $3::text[], $4::text[], $5::text[], $6::int8[]) "
    "  g(name, per, running, running_per_key, starts, seconds) on conflict (name) do update set per = excluded.per, "
    "running = excluded.running, running_per_key = excluded.running_per_key, starts = excluded.starts, "
    "seconds = excluded.seconds"};

std::vector<std::size_t> sizes_in(std::string_view text) {
    std::vector<std::size_t> sizes;
    while (!text.empty()) {
        const auto part = cut_at(text, ',');
        std::from_chars(part.data(), part.data() + part.size(), sizes.emplace_back(0));
    }
    return sizes;
}
ShardPlace read_place(PostgresConnection& connection, ShardDeadline deadline) {
    const auto shares = ask_postgres(connection, shares_read, PostgresValues(), deadline);
    const auto rows = ask_postgres(connection, place_read, PostgresValues(), deadline);
    ShardPlace place{.store = rows.text(0, 0),
                     .number = std::size_t(rows.number(0, 1)),
                     .sizes = sizes_in(rows.text(0, 2)),
                     .limits = {},
                     .has_runs = rows.number(0, 3) != 0,
                     .database = rows.text(0, 4)};
    for (int i = 0; i < shares.size(); ++i) place.limits.push_back(read_limits(shares, i));
    return place;
}
void write_place(PostgresConnection& connection, const ShardPlace& place, ShardDeadline deadline) {
    const auto text_of = [](const std::optional<std::uint32_t>& limit) { return limit ? std::to_string(*limit) : ""; };
    std::vector<std::string> queues, keys, running, running_per_key, starts;
    std::vector<std::int64_t> seconds;
    for (const auto& share : place.limits) {
        queues.push_back(share.queue);
        keys.push_back(share.per);
        running.push_back(text_of(share.running));
        running_per_key.push_back(text_of(share.running_per_key));
        starts.push_back(text_of(share.starts));
        seconds.push_back(share.seconds);
    }
    ask_postgres(connection, shares_write, PostgresValues(queues, keys, running, running_per_key, starts, seconds),
                 deadline);
    std::string sizes;
    for (const auto size : place.sizes) sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    ask_postgres(connection, place_write,
                 PostgresValues(place.store, std::int64_t(place.number), std::int64_t(place.sizes.back()), sizes),
                 deadline);
}
struct ShardOpening {
    PostgresUrl address;
    std::chrono::milliseconds limit;

    ShardPlace read() const {
        ShardPlace place;
        use_database(address, std::chrono::steady_clock::now() + limit,
                     [&](PostgresConnection& connection, ShardDeadline until) {
                         prepare_database(connection, address, until);
                         place = read_place(connection, until);
                     });
        return place;
    }
    /// Calls `work` in a transaction, while no other process adds databases.
    void change(const std::function<void(PostgresConnection&)>& work, int databases) const {
        try {
            use_database(address, std::chrono::steady_clock::now() + limit,
                         [&](PostgresConnection& connection, ShardDeadline until) {
                             read_place(connection, until);  // the server answers
                             until = std::chrono::steady_clock::now() + (databases + 2) * limit;
                             in_patient_transaction(connection, until, [&] {
                                 ask_postgres(connection, growth_lock, PostgresValues(), until);
                                 work(connection);
                             });
                         });
        } catch (const PostgresError& error) { refuse(error); }
    }
    std::string absence(const PostgresError& error) const {
        return "cannot use the store '" + address.name() + "': " + error.what();
    }
    [[noreturn]] void refuse(const PostgresError& error) const {
        throw Error(Code::configuration,
                    "cannot add a database to the store of '" + address.name() + "': " + error.what() +
                        (error.is_of_rights() ? ": let the owner of the databases open the list once" : ""));
    }
};
/// The databases of a list, with their places; a member of `known` is empty if its database did not answer.
struct ShardList {
    std::vector<ShardOpening> openings;
    std::vector<std::string> names;
    std::vector<std::optional<ShardPlace>> known;
    std::vector<std::string> why;  // they did not answer
    std::vector<ShardPlace> places;

    ShardList(const std::vector<std::string>& urls, std::chrono::milliseconds limit) {
        for (const auto& url : urls) {
            openings.push_back({PostgresUrl(url), limit});
            names.push_back(openings.back().address.name());
        }
    }
    /// Writes the places that are not stored yet.
    void settle() {
        read();
        const auto is_settled = [](const auto& one, const ShardPlace& place) { return !one || *one == place; };
        if (std::ranges::equal(known, places, is_settled)) return;
        connections.assign(openings.size(), nullptr);
        settle_from(0);
    }

private:
    void read() {
        std::vector<std::future<ShardPlace>> reading;
        for (const auto& opening : openings)
            reading.push_back(std::async(std::launch::async, [&opening] { return opening.read(); }));
        known.assign(openings.size(), {});
        why.assign(openings.size(), {});
        for (std::size_t i = 0; i < reading.size(); ++i) try {
                known[i] = reading[i].get();
            } catch (const PostgresError& error) { why[i] = openings[i].absence(error); }
        if (std::ranges::none_of(known, [](const auto& each) { return each.has_value(); }))
            throw Error(Code::configuration, why.front());
        decide();
    }
    void decide() { places = places_of_shards(names, known, hex(core::draw_seed())); }
    /// Begins a transaction in each database that answers, and ends that of the last one first: so an earlier database
    /// that refuses the processes with the shorter list has been written after the new ones.
    void settle_from(std::size_t i) {
        if (i == openings.size()) return settle_locked();
        if (!known[i]) return settle_from(i + 1);
        const auto work = [&](PostgresConnection& connection) {
            connections[i] = &connection;
            settle_from(i + 1);
        };
        openings[i].change(work, int(openings.size()));
    }
    /// Locks the databases, decides, and writes. Other processes wait only from here to the ends of the transactions.
    void settle_locked() {
        const auto until = [this] { return std::chrono::steady_clock::now() + 2 * openings.front().limit; };
        const auto in_each = [&](std::size_t i, const auto& work) {
            try {
                if (known[i]) work(*connections[i]);
            } catch (const PostgresError& error) { openings[i].refuse(error); }
        };
        for (std::size_t i = 0; i < openings.size(); ++i)
            in_each(i, [&](PostgresConnection& connection) {
                ask_postgres(connection, limits_lock, PostgresValues(), until());
                ask_postgres(connection, place_lock, PostgresValues(), until());
                known[i] = read_place(connection, until());
            });
        decide();
        for (std::size_t i = openings.size(); i-- > 0;)
            in_each(i, [&](PostgresConnection& connection) {
                if (*known[i] != places[i]) write_place(connection, places[i], until());
            });
    }
    std::vector<PostgresConnection*> connections;
};
/// Opens a database that was away when the store was opened.
std::unique_ptr<Store> open_later(const std::vector<std::string>& urls, std::size_t number,
                                  const PostgresOptions& options) {
    ShardList list(urls, std::chrono::milliseconds(options.connect_ms));
    try {
        list.openings[number].read();
    } catch (const PostgresError& error) { throw Error(Code::configuration, list.openings[number].absence(error)); }
    list.settle();
    return std::make_unique<PostgresStore>(urls[number], options);
}
}
std::unique_ptr<Store> open_postgres_shards(const std::vector<std::string>& urls, const PostgresOptions& options) {
    ShardList list(urls, std::chrono::milliseconds(options.connect_ms));
    list.settle();
    auto own = options;
    own.databases = std::int64_t(urls.size());
    std::vector<std::unique_ptr<Store>> stores;
    for (std::size_t i = 0; i < urls.size(); ++i)
        if (list.known[i]) stores.push_back(std::make_unique<PostgresStore>(urls[i], own));
        else {
            if (own.note) own.note({list.why[i], true});
            const auto open = [urls, i, own] { return open_later(urls, i, own); };
            stores.push_back(std::make_unique<LateStore>(open, list.why[i]));
        }
    return ShardedStore::owning(std::move(stores), list.places.front().sizes);
}
}
