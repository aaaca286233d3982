// A store in a PostgreSQL database, which many processes share: each of them can continue a run that another process
// has left.
//
//     PostgresStore store("postgres://weft@db.example/prod");   // the password: PGPASSWORD, or a pass file
//     Engine engine({.store = &store});                          // the store must outlive the engine
//
// An answered call is on the server's disk. Answers come on the store's own thread, which keeps two connections: one
// for the data of runs, where all waiting calls share a transaction, and one for all other calls. A loop that stored a
// tick takes answers of the first connection itself, unless it is busy for some milliseconds. The constructor
// creates the tables in the schema `weft` if they are absent. It waits for the server (PostgresOptions::connect_ms),
// and throws Error{configuration} if the database cannot be used.
//
// The store opens a lost connection again as long as it lives. Calls that store data of a run wait for the connection,
// so the runs wait too and lose nothing; other calls wait for a limited time (PostgresOptions), and then fail with
// Error{journal}. The destructor waits for the answers to all calls, at most PostgresOptions::closing_ms. No message
// contains the password.
//
// Promises beyond engine/store.hpp: a call that only reads sees the effects of earlier calls from its thread, and maybe
// of others. A heartbeat waits for no other call, only for the statement under way. The count of prune() may be too low
// after a lost connection.
//
// After a change the store notifies the other stores of its database by NOTIFY (Store::on_hint). The store detects a
// pooler, such as PgBouncer in its mode "transaction". Behind a pooler it works the same, but gets no hints and
// prepares no statements.
#pragma once
#include "engine/store.hpp"
#include "engine/store/note.hpp"
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace weft {
/// Whether the name of a store begins like an address of PostgreSQL; else it is a file's.
inline bool is_postgres_url(std::string_view store) {
    return store.starts_with("postgres://") || store.starts_with("postgresql://");
}
/// The address without secrets: user, hosts and database. "postgres://..." if the address cannot be parsed.
std::string shown_postgres_url(const std::string& url);

/// Connects, reads and writes nothing. Returns the version of the tables; 0: there are none. Throws as the constructor.
std::int64_t postgres_version(const std::string& url, std::chrono::milliseconds limit);

/// Times are in milliseconds.
struct PostgresOptions {
    int connect_ms = 10'000;  // limit of the constructor, and of the attempts at all hosts of the address together
    /// A connection without an answer for this time counts as lost, and is opened again. A heartbeat ends a connection
    /// of the same role that sends nothing for this time within a transaction, if runs of lost owners stay locked.
    int silence_ms = 15'000;
    /// The longest wait of a call for a lost connection before the call fails with Error{journal}. create(), append()
    /// and write_log() wait without a limit, and the run waits for them.
    int patience_ms = 10'000;
    int closing_ms = 10'000;              // limit of the destructor's wait for answers
    bool hints = true;                    // use NOTIFY and LISTEN; without them engines and workers only poll
    std::size_t most_waiting = 100'000;   // maximum calls without an answer; a further call fails with Error{journal}
    std::size_t most_bytes = 256u << 20;  // maximum size of these calls; a further call fails with Error{journal}
    /// Called if the server is unreachable for two seconds while calls wait, or refuses data of a run, and when it
    /// answers again.
    StoreNotes note = {};
    /// Number of the databases of the store (postgres_shards.hpp); 0: only this one. When it has changed, calls that
    /// create runs or set limits fail with Error{configuration}, and so does the constructor.
    std::int64_t databases = 0;
    std::function<std::int64_t()> now = {};  // microseconds since 1970, for tests; empty: the server's clock
};

class PostgresStore : public Store {
public:
    /// Throws Error{configuration} also if weft was built without PostgreSQL.
    explicit PostgresStore(const std::string& url, PostgresOptions = {});
    ~PostgresStore() override;

    void create(storage::NewRun, Then<storage::CreateReply>) override;
    void create_all(std::vector<storage::NewRun>, Then<std::vector<storage::CreateReply>>) override;
    void append(storage::Batch, Then<storage::AppendReply>) override;
    void load(std::string run, Then<storage::History>, std::uint64_t from) override;
    void load_mail(std::string run, Then<std::vector<storage::Mail>>) override;
    void write_log(storage::LogEntries, Then<storage::LogReply>) override;
    void read_log(std::string run, std::uint64_t from, std::size_t most, Then<storage::LogPart>,
                  std::size_t bytes) override;
    void plan(std::string hash, Then<storage::StoredPlan>) override;
    void send(storage::Mail, Then<storage::SendReply>) override;
    void claim(storage::ClaimRequest, Then<std::vector<storage::RunRow>>) override;
    void heartbeat(storage::Heartbeat, Then<storage::HeartbeatReply>) override;
    void list(storage::Filter, Then<std::vector<storage::RunRow>>) override;
    void set_limits(storage::QueueLimits, Then<bool>) override;
    void set_model_limit(storage::ModelLimit, Then<bool>) override;
    void model_limits(Then<std::vector<storage::ModelFlow>>) override;
    void take_quota(storage::QuotaRequest, Then<storage::QuotaReply>) override;
    void survey(Then<storage::Survey>) override;
    bool is_shared() const noexcept override { return true; }
    std::shared_ptr<void> on_hint(Hint act) override;
    void prune(storage::Filter, Then<std::uint64_t>) override;

private:
    class ConnectionThread;
    std::unique_ptr<ConnectionThread> thread_;
};
}
