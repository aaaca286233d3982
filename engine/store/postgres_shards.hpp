// A store of several PostgreSQL databases (sharded_store.hpp), which remember their places in it.
//
//     auto store = open_postgres_shards({"postgres://a/weft", "postgres://b/weft"});
//     Engine engine({.store = store.get()});
//
// The first call with a longer list adds databases: new runs get equal shares of all, and stored runs stay. Only the
// first database of a new store may have runs or limits of queues before. A database gets its place and its share of
// the limits in one transaction. Then it refuses new runs and limits of processes that know fewer databases, as such
// a process could start a run a second time under its key. Several processes may open the longer list at once.
//
// A database that is away at the call is opened later; until then its calls fail with Error{journal}. A list that adds
// databases needs all of them.
#pragma once
#include "engine/store/postgres_store.hpp"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {
/// Throws Error{configuration} if no database answers, if the list leaves out a database of the store, names them in
/// another order, or adds one that has runs or limits of queues or belongs to another store, or if a limit of a queue
/// is lower than the number of databases. PostgresOptions::databases has no effect.
std::unique_ptr<Store> open_postgres_shards(const std::vector<std::string>& urls, const PostgresOptions& = {});

namespace storage {
/// The place of a database in its store, as the database keeps it.
struct ShardPlace {
    std::string store;                // id of the store; empty: the database is a store of its own
    std::size_t number = 0;           // of the database in it
    std::vector<std::size_t> sizes;   // numbers of databases that the store has had, ascending
    std::vector<QueueLimits> limits;  // of limited queues: the share of this database
    bool has_runs = false;            // not stored
    std::string database;             // identifies the database as long as its server runs; not stored
    bool operator==(const ShardPlace&) const = default;
};
/// The places that the databases get, in the order of their names. Empty: the database did not answer. Throws
/// Error{configuration} as open_postgres_shards(). `new_store`: the id for a new store.
std::vector<ShardPlace> places_of_shards(const std::vector<std::string>& names,
                                         const std::vector<std::optional<ShardPlace>>& known,
                                         const std::string& new_store);
}
}
