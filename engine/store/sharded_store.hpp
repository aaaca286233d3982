// A store of several databases. Each run is in one of them with all its data, and its id determines which one.
//
//     PostgresStore first("postgres://a/weft"), second("postgres://b/weft");
//     ShardedStore store({&first, &second});    // the databases outlive the store
//     Engine engine({.store = &store});         // has a lease in each database, and claims runs of all of them
//
// A database that does not answer stops its own runs only. A call about one run asks one database. Listings, surveys
// and prunings ask all of them, and fail if one fails, because a part would look like the whole. create_all() is atomic
// in each database.
//
// Placement is jump consistent hashing (Lamping and Veach, 2014) of the id. A further database takes over an equal
// share of the ids for new runs, and stored runs stay: `sizes` are the numbers of databases that the store has had, and
// a run is looked for at the places of its id under each of them. A run with a chosen id or key is created only after
// that.
//
// A run with a start key has the id WORKFLOW:KEY, and one with a debounce key has an id of this key's database, as
// engines make them; another one is Error{usage}.
//
// A limit of a queue is divided, and each database keeps its share (shard_shares.cpp). The limits of models are in the
// first database.
#pragma once
#include "engine/store.hpp"

namespace weft {
class ShardedStore : public Store {
public:
    /// The databases in the order of their numbers; `sizes` ascend, and end with their number. Empty: only this one.
    explicit ShardedStore(std::vector<Store*> shards, std::vector<std::size_t> sizes = {});
    /// A store that owns its databases.
    static std::unique_ptr<ShardedStore> owning(std::vector<std::unique_ptr<Store>> shards,
                                                std::vector<std::size_t> sizes = {});
    ~ShardedStore() override;
    /// The number of the database of an id among so many.
    static std::size_t place(std::string_view id, std::size_t size);

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
    /// Without ids: of one database after the other. An engine claims from each of shards().
    void claim(storage::ClaimRequest, Then<std::vector<storage::RunRow>>) override;
    /// In all databases. Error{journal} if one does not answer: an engine has a lease in each of shards().
    void heartbeat(storage::Heartbeat, Then<storage::HeartbeatReply>) override;
    void list(storage::Filter, Then<std::vector<storage::RunRow>>) override;
    /// Error{usage} if a limit is lower than the number of databases.
    void set_limits(storage::QueueLimits, Then<bool>) override;
    void set_model_limit(storage::ModelLimit, Then<bool>) override;
    void model_limits(Then<std::vector<storage::ModelFlow>>) override;
    void take_quota(storage::QuotaRequest, Then<storage::QuotaReply>) override;
    void survey(Then<storage::Survey>) override;
    bool is_shared() const noexcept override { return true; }
    std::shared_ptr<void> on_hint(Hint act) override;
    void prune(storage::Filter, Then<std::uint64_t>) override;
    std::vector<Store*> shards() override { return shards_; }
    std::size_t shard_of(std::string_view run) const override { return place(run, shards_.size()); }
    bool may_be_elsewhere(std::string_view run) const override { return places_of(run).size() > 1; }
    void find_shards(std::vector<std::string> runs, Then<std::vector<std::size_t>>) override;

private:
    void check_place(const storage::NewRun&) const;
    std::vector<std::size_t> places_of(std::string_view run) const;  // under each size, the present one first
    template <class T, class Call> void with_run(const std::string& run, Then<T>, Call);
    std::vector<std::optional<storage::Filter>> parts_of(const storage::Filter&) const;
    std::vector<std::unique_ptr<Store>> owned_;  // by owning()
    const std::vector<Store*> shards_;
    const std::vector<std::size_t> sizes_;
};

namespace storage {
/// The limits of a queue in each of so many databases, which count on their own. Throws Error{usage} if one is lower
/// than their number.
std::vector<QueueLimits> shares_of(const QueueLimits&, std::size_t count);
void add_share(QueueLimits& sum, const QueueLimits& share);
}
}
