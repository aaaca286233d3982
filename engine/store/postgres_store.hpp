// A store in a PostgreSQL database, which many processes share: what one has left, another one goes on with.
//
//     PostgresStore store("postgres://weft@db.example/prod");   // the password: PGPASSWORD, or a pass file
//     Engine engine({.store = &store});                          // which the store outlives
//
// What it has answered is on the server's disk. Answers come on the store's own thread, which keeps two connections:
// one for what runs store, where all that waits shares a transaction, and one for the rest. The tables are in the
// schema `weft`, and are made when there are none. A database that cannot be used is an Error{configuration} when the
// store is made.
//
// A lost connection is made again, as long as the store lives. What runs store waits for it, so runs rest meanwhile and
// nothing is lost; other calls wait for some time (PostgresOptions) and are Error{journal} then. The destructor answers
// all calls first, if the server lets it. No sentence, and nothing else, has the password.
//
// Beyond the promises of engine/store.hpp: calls that only read see what their thread has asked for before, and maybe
// more. A count of prune() may be too low after a lost connection. A beat is never kept waiting by other calls.
//
// A store tells the others of its database by NOTIFY what concerns them, after it was stored (Store::on_hint). Behind a
// pooler that gives each transaction another connection, such as PgBouncer's mode "transaction", a store works the same
// but hears no hints, and sends its statements whole. It finds out by itself.
#pragma once
#include "engine/store.hpp"
#include "engine/store/postgres_options.hpp"
#include <memory>
#include <string>
#include <string_view>

namespace weft {
inline bool is_postgres_url(std::string_view store) {
    return store.starts_with("postgres://") || store.starts_with("postgresql://");
}
/// What of such an address may be shown: user, hosts and database, as an address. Of one that cannot be read: nothing
/// but that it is one.
std::string shown_postgres_url(const std::string& url);

class PostgresStore : public Store {
public:
    /// Also Error{configuration} if weft was built without PostgreSQL.
    explicit PostgresStore(const std::string& url, PostgresOptions = {});
    ~PostgresStore() override;

    void create(storage::NewRun, Then<storage::Created>) override;
    void append(storage::Batch, Then<storage::Appended>) override;
    void load(std::string run, Then<storage::History>, std::uint64_t from) override;
    void write_log(storage::LogEntries, Then<storage::Logged>) override;
    void read_log(std::string run, std::uint64_t from, std::size_t most, Then<storage::LogPart>) override;
    void plan(std::string hash, Then<storage::StoredPlan>) override;
    void send(storage::Mail, Then<storage::Sent>) override;
    void claim(storage::Claim, Then<std::vector<storage::RunRow>>) override;
    void beat(storage::Worker, Then<storage::Pulse>) override;
    void list(storage::Filter, Then<std::vector<storage::RunRow>>) override;
    void survey(Then<storage::Survey>) override;
    bool is_shared() const noexcept override { return true; }
    std::shared_ptr<void> on_hint(Hint act) override;
    void prune(storage::Filter, Then<std::uint64_t>) override;

private:
    class Talker;
    std::unique_ptr<Talker> talker_;
};
}
