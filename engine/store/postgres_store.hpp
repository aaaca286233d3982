// A store in a PostgreSQL database, which many processes share: any of them can go on with a run that another one has
// left.
//
//     PostgresStore store("postgres://weft@db.example/prod");   // the password: PGPASSWORD, or a pass file
//     Engine engine({.store = &store});                          // which the store outlives
//
// What it has answered is on the server's disk. Answers come on the store's own thread, which keeps two connections:
// one for what runs store, where all calls that wait share a transaction, and one for everything else. The tables are
// in the schema `weft`, and are made if there are none. The constructor waits for the server
// (PostgresOptions::connect_ms), and throws Error{configuration} if the database cannot be used.
//
// A lost connection is made again, as long as the store lives. Calls that store something for a run wait for it, so
// runs rest meanwhile and nothing is lost; other calls wait for some time (PostgresOptions), and then are
// Error{journal}. The destructor waits for the answers to all calls, at most PostgresOptions::closing_ms. No message
// contains the password.
//
// What it promises beyond engine/store.hpp: a call that only reads sees what its thread has asked for before, and maybe
// more. A beat waits for no other call, only for the statement that is under way. The count of prune() may be too low
// after a lost connection.
//
// By NOTIFY it tells the other stores of its database what concerns them, after that was stored (Store::on_hint).
// Behind a pooler, such as PgBouncer in its mode "transaction", it works the same, but hears no hints, and prepares no
// statements. It detects a pooler by itself.
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
/// The part of such an address that may be shown: user, hosts and database, as an address without a password.
/// "postgres://..." if the address cannot be read.
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
    void read_log(std::string run, std::uint64_t from, std::size_t most, Then<storage::LogPart>,
                  std::size_t bytes) override;
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
