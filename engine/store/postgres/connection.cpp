// Uses libpq's pipeline mode. After a failed statement the server skips all requests up to the next sync, also those
// that prepare statements. So a statement counts as prepared only until its answer is an error.
#include "engine/store/postgres/connection.hpp"
#include "engine/store/postgres/libpq.hpp"
#include <atomic>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace weft::storage {
namespace {
constexpr auto state_lost = "08006";
std::atomic<std::uint64_t> connections = 0;
constexpr PostgresStatement one_plan{"weft_one_plan",
                                     "select set_config('plan_cache_mode', 'force_generic_plan', false)"};
constexpr PostgresStatement any_plan{"weft_any_plan", "reset plan_cache_mode"};
// A server lets a commit wait for standbys only if the transaction has written to the log of changes.
// Another server that has become a standby refuses the first function as a write, the second one as an internal error.
constexpr PostgresStatement short_message{
    "weft_confirm", "select pg_current_xact_id()::text, pg_logical_emit_message(true, 'weft', '')"};
constexpr PostgresStatement ended_wait{"weft_end_wait",
                                       "select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and "
                                       "usename = current_user and wait_event = 'SyncRep'"};
/// Repeats for a transaction the settings that PostgresUrl::parameters() and the greeting make for a connection.
const PostgresStatement& transaction_settings() {
    static const std::string sql = [] {
        std::string all = "select ";
        for (auto& [name, value] : postgres_settings)
            all += std::string("set_config('") + name + "', '" + value + "', true), ";
        return all + WEFT_POSTGRES_WAITS_FOR_DISK ", set_config('client_min_messages', 'warning', true)";
    }();
    static const PostgresStatement statement{nullptr, sql.c_str()};
    return statement;
}
}
bool PostgresError::is_lost() const {
    // 25006: the server has become a standby, and another server may take writes.
    return state_.starts_with("08") || state_.starts_with("57P") || state_ == "25006";
}
bool PostgresError::is_transient() const {
    return state_ == "40001" || state_ == "40P01" || state_ == "55P03" || state_ == "57014" || state_ == "23505";
}
bool PostgresError::is_of_preparing() const {  // a pooler gives each transaction another connection
    return state_ == "26000" || state_ == "42P05" || state_ == "0A000";
}
bool PostgresError::is_of_the_values() const {
    // By 54000 a server refuses a value that is too long for an index, and also all writes before a vacuum, because its
    // transaction ids end.
    const bool has_ids = std::string_view(what()).find("wraparound") == std::string_view::npos;
    return state_.starts_with("22") || (state_.starts_with("54") && has_ids);
}
bool PostgresError::is_of_rights() const { return state_ == "42501"; }
bool PostgresError::is_of_options() const {  // PgBouncer's message; it has no SQLSTATE of its own for this
    return std::string_view(what()).find("unsupported startup parameter") != std::string_view::npos;
}

void PostgresConnection::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

PostgresConnection::PostgresConnection(const PostgresUrl& url, std::size_t attempt, PostgresServerTraits server_traits)
    : url_(url), number_(++connections), prepares_(server_traits.prepares) {
    const auto parameters = url.parameters(attempt, server_traits.sends_options);
    std::vector<const char*> keys, values;
    for (auto& [key, value] : parameters) {
        keys.push_back(key.c_str());
        values.push_back(value.c_str());
    }
    keys.push_back(nullptr);
    values.push_back(nullptr);
    connection_.reset(PQconnectStartParams(keys.data(), values.data(), 0));
    if (!connection_) throw std::bad_alloc();
    const auto hear_notice = [](void* self, const PGresult* notice) {
        static_cast<PostgresConnection*>(self)->hear(notice);
    };
    PQsetNoticeReceiver(connection_.get(), hear_notice, this);
    if (PQstatus(connection_.get()) == CONNECTION_BAD) lose();
}
int PostgresConnection::backend() const { return PQbackendPID(connection_.get()); }
void PostgresConnection::greeted(bool is_pooled) {
    is_greeted_ = true;
    is_pooled_ = is_pooled;
}
void PostgresConnection::shut_down() {
    if (descriptor() >= 0) ::shutdown(descriptor(), SHUT_RDWR);
}
int PostgresConnection::descriptor() const { return PQsocket(connection_.get()); }
short PostgresConnection::events() const {
    if (!is_open_) return has_to_write_ ? POLLOUT : POLLIN;
    return short(has_to_write_ ? POLLIN | POLLOUT : POLLIN);
}
std::string PostgresConnection::message() const {
    if (error_) return error_->what();
    const auto said = url_.shown(PQerrorMessage(connection_.get()), PQpass(connection_.get()));
    return said.empty() ? "the connection was closed" : said;
}
void PostgresConnection::lose() const { throw PostgresError(state_lost, message()); }
void PostgresConnection::check(int sent) const {
    if (sent == 0) lose();
}
void PostgresConnection::go_on_connecting() {
    const auto now = PQconnectPoll(connection_.get());
    if (now == PGRES_POLLING_FAILED) lose();
    has_to_write_ = now == PGRES_POLLING_WRITING;
    if (now != PGRES_POLLING_OK) return;
    is_open_ = true;
    if (PQsetnonblocking(connection_.get(), 1) != 0 || PQenterPipelineMode(connection_.get()) == 0) lose();
}
bool PostgresConnection::go_on(short revents) {
    if (!is_open_) {
        if (revents != 0) go_on_connecting();
        return revents != 0;
    }
    const bool came = (revents & ~POLLOUT) != 0;
    const bool is_whole = !came || PQconsumeInput(connection_.get()) != 0;
    receive();
    receive_notified();
    if (!is_whole || PQstatus(connection_.get()) == CONNECTION_BAD) lose();
    if (has_to_write_) {
        const int left = PQflush(connection_.get());
        if (left < 0) lose();
        has_to_write_ = left > 0;
    }
    return came;
}
void PostgresConnection::receive() {
    while (PQisBusy(connection_.get()) == 0 && !expected_.empty()) {
        if (auto* result = PQgetResult(connection_.get())) receive(result);
        else expected_.pop_front();  // each request has one result
    }
}
void PostgresConnection::receive_notified() {
    for (auto* each = PQnotifies(connection_.get()); each; each = PQnotifies(connection_.get())) {
        notified_.push_back(from_postgres_text(each->extra));
        PQfreemem(each);
    }
}
void PostgresConnection::receive(pg_result* result) {
    PostgresRows rows(result);
    const auto status = PQresultStatus(result);
    if (status == PGRES_PIPELINE_SYNC) {
        while (!expected_.empty() && expected_.front().kind != Kind::sync) expected_.pop_front();
        if (!expected_.empty()) expected_.pop_front();
        answered_ = expected_.empty();
        return;
    }
    const auto kind = expected_.front().kind;
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
        if (kind == Kind::statement) rows_.push_back(std::move(rows));
        return;
    }
    if (kind == Kind::preparing) prepared_.erase(expected_.front().name);
    if (error_ || status == PGRES_PIPELINE_ABORTED) return;
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char* said = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    error_.emplace(state ? state : state_lost,
                   url_.shown(said ? said : PQresultErrorMessage(result), PQpass(connection_.get())));
}
/// A server with synchronous standbys answers a commit with success and this warning if an administrator or a shutdown
/// has ended its wait for them. A failover can lose such a commit, so its effect is unknown. The text of the warning
/// depends on the server's language; the function in the server's source does not.
void PostgresConnection::hear(const pg_result* notice) {
    const char* source = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
    if (source && std::string_view(source) == "SyncRepWaitForLSN" && !error_)
        error_.emplace(state_lost, "the server has ended a commit's wait for its standbys");
}
std::vector<std::string> PostgresConnection::take_notified() { return std::exchange(notified_, {}); }
void PostgresConnection::put_aside(const PostgresStatement& statement, const PostgresValues& values) {
    put(statement, values);
    expected_.back().kind = Kind::aside;
}
void PostgresConnection::send(const PostgresStatement& statement, const PostgresValues& values) {
    auto* c = connection_.get();
    if (expected_.empty() && PQtransactionStatus(c) == PQTRANS_INERROR) {  // rolls back a failed transaction
        check(PQsendQueryParams(c, "rollback", 0, nullptr, nullptr, nullptr, nullptr, 1));
        check(PQpipelineSync(c));  // so that the next transaction begins after the rollback
        expected_.push_back({Kind::aside, {}});
        expected_.push_back({Kind::sync, {}});
    }
    const bool has_to_set = is_pooled_ && sent_ == 0;
    if (has_to_set && !statement.begins) put_aside(transaction_settings());
    if (!statement.begins) choose_plans(statement);
    put(statement, values);
    if (has_to_set && statement.begins) put_aside(transaction_settings());
    ++sent_;
    answered_ = false;
}
void PostgresConnection::choose_plans(const PostgresStatement& statement) {
    if (!prepares(statement) || has_one_plan_ == statement.has_one_plan) return;
    put_aside(statement.has_one_plan ? one_plan : any_plan);
    has_one_plan_ = statement.has_one_plan;
}
bool PostgresConnection::prepares(const PostgresStatement& statement) const {
    return prepares_ && is_greeted_ && !is_pooled_ && statement.name;
}
void PostgresConnection::put(const PostgresStatement& statement, const PostgresValues& values) {
    auto* c = connection_.get();
    std::vector<const char*> texts;
    std::vector<int> lengths, formats(std::size_t(values.size()), 1);
    for (std::size_t i = 0; i < std::size_t(values.size()); ++i) {
        texts.push_back(values[i] ? values[i]->data() : nullptr);
        lengths.push_back(values[i] ? int(values[i]->size()) : 0);
    }
    const bool is_prepared = prepares(statement);
    if (is_prepared && prepared_.insert(statement.name).second) {
        check(PQsendPrepare(c, statement.name, statement.sql, values.size(), values.types()));
        expected_.push_back({Kind::preparing, statement.name});
    }
    check(is_prepared
              ? PQsendQueryPrepared(c, statement.name, values.size(), texts.data(), lengths.data(), formats.data(), 1)
              : PQsendQueryParams(c, statement.sql, values.size(), values.types(), texts.data(), lengths.data(),
                                  formats.data(), 1));
    expected_.push_back({Kind::statement, {}});
}
void PostgresConnection::confirm() { put_aside(short_message); }
void PostgresConnection::end_wait(int backend) { put_aside(ended_wait, PostgresValues(backend)); }
void PostgresConnection::sync() {
    check(PQpipelineSync(connection_.get()));
    expected_.push_back({Kind::sync, {}});
    sent_ = 0;
    has_to_write_ = true;
}
std::vector<PostgresRows> PostgresConnection::take() {
    answered_ = false;
    auto rows = std::exchange(rows_, {});
    if (auto error = std::exchange(error_, {})) {
        has_one_plan_.reset();  // a rollback also takes the setting back
        throw PostgresError(*error);
    }
    return rows;
}
}
