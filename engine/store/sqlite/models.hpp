// The limits of models in a file, and what is taken of them. The caller has a transaction.
#pragma once
#include "engine/store/model_flow.hpp"
#include "engine/store/sqlite/connection.hpp"
#include <functional>

namespace weft::storage {
class SqliteModels {
public:
    /// `now` returns microseconds since 1970.
    SqliteModels(SqliteConnection& connection, std::function<std::int64_t()> now)
        : db_(connection), now_(std::move(now)) {}
    bool set(const ModelLimit&);  // throws Error{usage} also for tables of an older weft
    std::vector<ModelFlow> all();
    QuotaReply take(const QuotaRequest&);

private:
    bool has_table();
    bool has_table_ = false;  // once true, the file is not asked again
    SqliteConnection& db_;
    std::function<std::int64_t()> now_;
};
}
