// Limits of models. A block is taken in two rounds, and locks a row only for the last: it reads the state, and replaces
// the one that it has read, unless another process was faster. Then it has read the new state, and tries again.
#include "engine/store/model_flow.hpp"
#include "engine/store/postgres/connection_thread.hpp"

namespace weft::storage {
namespace {
constexpr PostgresStatement set_model{
    "weft_set_model", "insert into weft.models (name, model_limit, state, version) select $1, $2, '', 1 where exists "
                      "(select from weft.models where name = $1) or (select count(*) from weft.models) < $3::int8 "
                      "on conflict (name) do update set model_limit = excluded.model_limit, "
                      "version = models.version + 1 returning 1"};
constexpr PostgresStatement remove_model{"weft_remove_model", "delete from weft.models where name = $1"};
constexpr PostgresStatement all_models{
    "weft_models", "select model_limit, state, (extract(epoch from coalesce($1::timestamptz, clock_timestamp())) * "
                   "1000000)::int8 from weft.models order by name"};
constexpr PostgresStatement replace_quota{"weft_replace_quota",
                                          "update weft.models set state = $3, version = version + 1 "
                                          "where name = $1 and version = $2::int8 returning 1"};
constexpr PostgresStatement read_quota{
    "weft_read_quota", "select model_limit, state, version, (extract(epoch from coalesce($2::timestamptz, "
                       "clock_timestamp())) * 1000000)::int8 from weft.models where name = $1"};

class SetModelCall final : public PostgresCallOf<bool> {
public:
    SetModelCall(ModelLimit limit, Store::Then<bool> then) : PostgresCallOf(std::move(then)), limit_(std::move(limit)) {
        changes = confirms = true;  // another process may have removed it
    }
    void ask(PostgresConnection& connection) override {
        check_limit(limit_);
        if (limits_nothing(limit_)) connection.send(remove_model, PostgresValues(limit_.model));
        else connection.send(set_model, PostgresValues(limit_.model, write_model_limit(limit_), most_limited_models));
    }
    bool take(std::span<PostgresRows> rows) override {
        if (!limits_nothing(limit_) && rows[0].size() == 0) too_many_model_limits();
        return true;
    }

private:
    ModelLimit limit_;
};
class ModelLimitsCall final : public PostgresCallOf<std::vector<ModelFlow>> {
public:
    ModelLimitsCall(Store::Then<std::vector<ModelFlow>> then, const PostgresNow& now)
        : PostgresCallOf(std::move(then)), now_(now) {}
    void ask(PostgresConnection& connection) override { connection.send(all_models, PostgresValues(time_of(now_))); }
    bool take(std::span<PostgresRows> rows) override {
        value_.clear();
        for (int i = 0; i < rows[0].size(); ++i)
            if (const auto limit = read_model_limit(rows[0].text(i, 0)))
                value_.push_back(flow_of(*limit, read_model_state(rows[0].text(i, 1)), rows[0].number(i, 2)));
        return true;
    }

private:
    const PostgresNow& now_;
};
class TakeQuotaCall final : public PostgresCallOf<QuotaReply> {
public:
    TakeQuotaCall(QuotaRequest request, Store::Then<QuotaReply> then, const PostgresNow& now)
        : PostgresCallOf(std::move(then)), request_(std::move(request)), now_(now) {}
    void ask(PostgresConnection& connection) override {
        check_quota_request(request_);
        if (version_) connection.send(replace_quota, PostgresValues(request_.model, *version_, state_));
        connection.send(read_quota, PostgresValues(request_.model, time_of(now_)));
    }
    bool take(std::span<PostgresRows> rows) override {
        if (version_ && rows[0].size() > 0) return true;
        const auto& read = rows[version_ ? 1 : 0];
        value_ = {};
        if (read.size() == 0) return true;
        const auto limit = read_model_limit(read.text(0, 0));
        if (!limit) return true;
        auto state = read_model_state(read.text(0, 1));
        value_ = take_quota(*limit, state, request_, read.number(0, 3));
        state_ = write_model_state(state);
        version_ = read.number(0, 2);
        return false;
    }
    void was_lost() override { version_.reset(); }  // what may have been taken stays taken

private:
    QuotaRequest request_;
    const PostgresNow& now_;
    std::optional<std::int64_t> version_;  // of the row that `state_` replaces
    std::string state_;
};
}
}

namespace weft {
using namespace storage;
void PostgresStore::set_model_limit(ModelLimit limit, Then<bool> then) {
    thread_->query(std::make_unique<SetModelCall>(std::move(limit), std::move(then)));
}
void PostgresStore::model_limits(Then<std::vector<ModelFlow>> then) {
    thread_->query(std::make_unique<ModelLimitsCall>(std::move(then), thread_->now()));
}
void PostgresStore::take_quota(QuotaRequest request, Then<QuotaReply> then) {
    thread_->query(std::make_unique<TakeQuotaCall>(std::move(request), std::move(then), thread_->now()));
}
}
