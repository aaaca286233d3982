// Replaces the PostgreSQL store if weft is built without libpq: the constructor only throws.
#include "engine/error.hpp"
#include "engine/store/postgres_shards.hpp"

namespace weft {
using namespace storage;
class PostgresStore::ConnectionThread {};

std::string shown_postgres_url(const std::string&) { return "postgres://..."; }
static void refuse() {
    throw Error(Code::configuration,
                "this weft was built without PostgreSQL: install libpq-dev and build it again with "
                "WEFT_POSTGRES=ON, or name a file as the store");
}
std::int64_t postgres_version(const std::string&, std::chrono::milliseconds) {
    refuse();
    return 0;
}
std::unique_ptr<Store> open_postgres_shards(const std::vector<std::string>&, const PostgresOptions&) {
    refuse();
    return nullptr;
}
PostgresStore::PostgresStore(const std::string&, PostgresOptions) { refuse(); }
PostgresStore::~PostgresStore() = default;
void PostgresStore::create(NewRun, Then<CreateReply>) {}
void PostgresStore::append(Batch, Then<AppendReply>) {}
void PostgresStore::load(std::string, Then<History>, std::uint64_t) {}
void PostgresStore::load_mail(std::string, Then<std::vector<Mail>>) {}
void PostgresStore::write_log(LogEntries, Then<LogReply>) {}
void PostgresStore::read_log(std::string, std::uint64_t, std::size_t, Then<LogPart>, std::size_t) {}
void PostgresStore::plan(std::string, Then<StoredPlan>) {}
void PostgresStore::send(Mail, Then<SendReply>) {}
void PostgresStore::claim(ClaimRequest, Then<std::vector<RunRow>>) {}
void PostgresStore::heartbeat(Heartbeat, Then<HeartbeatReply>) {}
void PostgresStore::list(Filter, Then<std::vector<RunRow>>) {}
void PostgresStore::set_limits(QueueLimits, Then<bool>) {}
void PostgresStore::set_model_limit(ModelLimit, Then<bool>) {}
void PostgresStore::model_limits(Then<std::vector<ModelFlow>>) {}
void PostgresStore::take_quota(QuotaRequest, Then<QuotaReply>) {}
void PostgresStore::survey(Then<Survey>) {}
std::shared_ptr<void> PostgresStore::on_hint(Hint) { return nullptr; }
void PostgresStore::prune(Filter, Then<std::uint64_t>) {}
}
