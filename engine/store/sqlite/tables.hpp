// Executes the calls of a store on its tables; the caller has a transaction. An Error concerns one call, and is thrown
// before that call changes anything; a SqliteError ends the transaction.
//
// Every row has a sum, so that a bit changed on the disk leads to an error that names the run, not to a wrong answer.
// It leaves out the columns of flow keys and of debounced starts, which decide only when and with what a run begins.
#pragma once
#include "engine/store/rules.hpp"
#include "engine/store/sqlite/flow.hpp"
#include "engine/store/sqlite/logs.hpp"
#include "engine/store/sqlite/models.hpp"
#include <unordered_map>

namespace weft::storage {
/// The columns of SqliteTables::read().
#define WEFT_SQLITE_RUN                                                                                                \
    "select id, workflow, hash, queue, priority, status, owner, epoch, next_seq, mail, wake_at, takeovers, "           \
    "start_key, forked_from, options, outcome, waits_for, created_at, updated_at, last_tick, sum, number from runs "
/// Finds rows in the same order with ids and without.
struct FindStatements {
    const char* all;
    const char* named;  // ?1: a JSON array of ids
};
#define WEFT_SQLITE_FIND(WHERE, ORDER)                                                                                 \
    WEFT_SQLITE_RUN WHERE ORDER, WEFT_SQLITE_RUN "where id in (select value from json_each(?1)) " ORDER

class SqliteTables {
public:
    SqliteTables(SqliteConnection& connection, std::string file, std::function<std::int64_t()> now);

    storage::CreateReply create(const storage::NewRun&);
    std::vector<storage::CreateReply> create_all(const std::vector<storage::NewRun>&);
    storage::AppendReply append(const storage::Batch&);
    storage::History load(const std::string& run, std::uint64_t from);
    std::vector<storage::Mail> load_mail(const std::string& run);
    storage::LogReply write_log(const storage::LogEntries&);
    storage::LogPart read_log(const std::string& run, std::uint64_t from, std::size_t most, std::size_t bytes);
    storage::StoredPlan plan(const std::string& hash);
    storage::SendReply send(const storage::Mail&);
    std::vector<storage::RunRow> claim(const storage::ClaimRequest&, const Leases&);
    storage::HeartbeatReply heartbeat(const storage::Heartbeat&, Leases&);
    std::vector<storage::RunRow> list(const storage::Filter&);
    bool set_limits(const storage::QueueLimits&);
    SqliteModels& models() { return models_; }
    storage::Survey survey();
    std::uint64_t prune(const storage::Filter&);

    void release_all();                // makes the runs of a dead process ready
    std::int64_t last_number() const;  // the last number ever given to a tick or a log entry
    void begin();                      // call this in a transaction, before other calls
    void renumber();                   // call this after a rollback
    std::int64_t ticket();             // grows with each transaction that draws a ticket
    std::int64_t draw_ticket();

private:
    struct Row : storage::RunRow {
        std::int64_t number = 0;                // order of creation; 0: not read from the file
        std::optional<std::int64_t> last_tick;  // number of the tick's row
        bool is_damaged = false;
    };
    static std::int64_t sum_of(const Row&);
    static Row read(const SqliteQuery&);
    static Row sound(Row);
    std::optional<Row> find(const std::string& run);  // throws DamagedError if the row is damaged
    /// The row of a running run, from memory unless another connection has written since. Null: there is none.
    Row* find_running(const std::string& run);
    /// The wanted rows with these ids or, without ids, the first wanted rows of the query, up to a maximum.
    std::vector<Row> find_all(const std::vector<std::string>& ids, const FindStatements&, std::size_t most,
                              const std::function<bool(const Row&)>& is_wanted);
    std::vector<Row> ready_rows(const storage::ClaimRequest&, std::int64_t now,
                                const std::function<bool(const Row&)>& is_wanted);
    storage::CreateReply add(const storage::NewRun&);  // unless the store has its start key
    storage::CreateReply add_debounced(const storage::NewRun&);
    std::optional<storage::CreateReply> known_start(const storage::NewRun&);
    void replace(Row, const storage::NewRun&);  // the start of a run that waits to begin
    void insert(const Row&, const std::string& key_texts);
    void progress(const Row&);  // writes the columns that an append changes in a run that its owner keeps
    void change(const Row&);
    void add_ticks(Row&, const std::vector<storage::StoredTick>&, std::size_t from);
    std::uint64_t remove_ticks(const Row&);
    std::int64_t newest_number();  // maximum in the tables
    void keep(const storage::StoredPlan&);
    void make_all_ready(SqliteQuery, bool is_taken_over);  // the undamaged runs of the query
    std::vector<storage::StoredTick> ticks(const Row&, std::uint64_t from);
    std::vector<storage::Mail> mail_of(const std::string& run);

    SqliteConnection& db_;
    std::string file_;
    SqliteLogs logs_;
    SqliteFlow flow_;
    SqliteModels models_;
    std::function<std::int64_t()> now_;
    std::int64_t last_ = 0;
    std::int64_t version_ = -1;                  // SQLite's data version when the rows were read
    std::unordered_map<std::string, Row> rows_;  // rows of running runs
};
}
