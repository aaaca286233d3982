// A visitor may open tables of an older weft, which have no limits of models.
#include "engine/store/sqlite/models.hpp"
#include "engine/error.hpp"

namespace weft::storage {
bool SqliteModels::has_table() {
    return has_table_ = has_table_ || db_.number("select count(*) from sqlite_schema where name = 'models'") > 0;
}
bool SqliteModels::set(const ModelLimit& limit) {
    check_limit(limit);
    if (!has_table())
        throw Error(Code::usage, "the store has tables of an older weft, which knows no limits of models: let a newer "
                                 "weft open it while no other process uses it");
    if (limits_nothing(limit)) return db_.run("delete from models where name = ?1", limit.model), true;
    const auto text = write_model_limit(limit);
    if (db_.run("update models set model_limit = ?2 where name = ?1", limit.model, text) > 0) return true;
    if (std::size_t(db_.number("select count(*) from models")) >= most_limited_models) too_many_model_limits();
    db_.run("insert into models (name, model_limit, state) values (?1, ?2, '')", limit.model, text);
    return true;
}
std::vector<ModelFlow> SqliteModels::all() {
    std::vector<ModelFlow> found;
    if (!has_table()) return found;
    auto query = db_.query("select model_limit, state from models order by name");
    while (query.step())
        if (const auto limit = read_model_limit(query.text(0)))
            found.push_back(flow_of(*limit, read_model_state(query.text(1)), now_()));
    return found;
}
QuotaReply SqliteModels::take(const QuotaRequest& request) {
    check_quota_request(request);
    std::optional<ModelLimit> limit;
    ModelQuotaState state;
    if (has_table()) {
        auto query = db_.query("select model_limit, state from models where name = ?1", request.model);
        if (query.step()) {
            limit = read_model_limit(query.text(0));
            state = read_model_state(query.text(1));
        }
    }
    if (!limit) return {};
    auto reply = take_quota(*limit, state, request, now_());
    db_.run("update models set state = ?2 where name = ?1", request.model, write_model_state(state));
    return reply;
}
}
