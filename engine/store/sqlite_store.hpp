// A store in a SQLite file. An answered call is on the disk: it survives a killed process, and a power failure.
//
//     SqliteStore store("weft.db");                                       // for one engine: a second one is refused
//     SqliteStore visitor("weft.db", {.access = SqliteAccess::visitor});  // reads and sends beside an engine
//
// Answers come on the store's own thread. Calls that wait during a write share the next transaction, with one sync. The
// destructor answers all calls first. The constructor throws if the file cannot be used: Error{configuration} for a
// wrong file, Error{usage} if another engine owns it, Error{journal} if it is damaged.
#pragma once
#include "engine/store/note.hpp"
#include "engine/store/rules.hpp"
#include <memory>

namespace weft {
enum class SqliteAccess : std::uint8_t {
    engine,  // owns the file; makes runs of a dead engine ready
    // load, read_log, plan, list, survey, send, prune, and create without an owner; the other calls are Error{usage}
    visitor,
};
/// The options of a store in a file, fixed for its life.
struct SqliteOptions {
    SqliteAccess access = SqliteAccess::engine;
    bool may_lose_the_last_moments_on_power_failure = false;  // faster, and still safe when a process is killed
    int busy_ms = 5000;                                       // maximum wait of a call for another process
    /// Called if a call fails because of the file or its disk, and when a later call is stored.
    StoreNotes note = {};
    std::function<std::int64_t()> now = storage::wall_microseconds;  // microseconds since 1970; another one for tests
};

class SqliteStore : public Store {
public:
    explicit SqliteStore(std::string path, SqliteOptions = {});
    ~SqliteStore() override;

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
    void prune(storage::Filter, Then<std::uint64_t>) override;

private:
    class Writer;
    std::unique_ptr<Writer> writer_;
};
}
