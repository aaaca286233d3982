// The sample is made once, as an image in memory that every connection reads.
#include "tools/sql/database.hpp"
#include "engine/error.hpp"
#include "engine/pool.hpp"
#include "engine/utf8.hpp"
#include "tools/sql/connection.hpp"
#include <mutex>
#include <sqlite3.h>

namespace weft::tools {
extern const std::string_view sales_sql;

// Connections that nobody uses wait here; there are never more of a kind than the pool has threads.
struct Database::Shared {
    Shared(std::string p, SqlLimits l, SqlAccess a) : path(std::move(p)), limits(l), access(a) {}
    std::unique_ptr<Connection> take(SqlAccess how) {
        {
            std::lock_guard lock(mutex);
            if (auto& of_kind = idle[int(how)]; !of_kind.empty()) {
                auto connection = std::move(of_kind.back());
                of_kind.pop_back();
                return connection;
            }
        }
        return std::make_unique<Connection>(image.empty() ? open_file(path, how) : open_image(image), limits, how);
    }
    void give_back(std::unique_ptr<Connection> connection, SqlAccess how) {
        if (!connection->is_usable()) return;
        std::lock_guard lock(mutex);
        idle[int(how)].push_back(std::move(connection));
    }
    /// Runs the work on a connection; one that was interrupted or refused something serves on, unless it is
    /// still in its transaction.
    auto use(SqlAccess how, auto&& work) {
        struct Lease {
            Shared& shared;
            SqlAccess how;
            std::unique_ptr<Connection> connection = shared.take(how);
            ~Lease() { shared.give_back(std::move(connection), how); }
        } lease{*this, how};
        return work(*lease.connection);
    }
    auto read(auto&& work) { return use(SqlAccess::read, work); }
    const std::string path;
    const SqlLimits limits;
    const SqlAccess access;
    std::vector<unsigned char> image;
    std::mutex mutex;
    std::vector<std::unique_ptr<Connection>> idle[2];  // that read, that write
};

namespace {
/// SQLite opens what it may not write for reading, and says so only when it is to write.
void open_for_writing(const std::string& path) {
    const auto handle = open_file(path, SqlAccess::write);
    if (sqlite3_db_readonly(handle.get(), "main") == 0) return;
    throw Error(Code::configuration, "cannot write into the database '" + repair_utf8(path) +
                                         "': this file may only be read, so open it for reading");
}
}

Database::Database(Pool& pool, SqlLimits limits)
    : pool_(pool), shared_(std::make_unique<Shared>("", limits, SqlAccess::read)) {
    shared_->image = make_image(sales_sql);
}
Database::Database(Pool& pool, const std::string& path, SqlLimits limits, SqlAccess access)
    : pool_(pool), shared_(std::make_unique<Shared>(path, limits, access)) {
    auto connection = std::make_unique<Connection>(open_file(path), limits);
    connection->check(path, std::chrono::seconds(2));
    shared_->give_back(std::move(connection), SqlAccess::read);
    if (access == SqlAccess::write) open_for_writing(path);
}
Database::~Database() = default;

awaitable<std::string> Database::tables() {
    auto work = [this](std::stop_token stop) {
        return shared_->read([&](Connection& c) { return c.tables(std::move(stop)); });
    };
    auto text = co_await pool_.run(std::move(work));
    co_return text;
}
awaitable<std::string> Database::describe(std::string table) {
    auto work = [this, table = std::move(table)](std::stop_token stop) {
        return shared_->read([&](Connection& c) { return c.describe(table, std::move(stop)); });
    };
    auto text = co_await pool_.run(std::move(work));
    co_return text;
}
awaitable<std::string> Database::query(std::string sql) {
    auto work = [this, sql = std::move(sql)](std::stop_token stop) {
        return shared_->read([&](Connection& c) { return c.query(sql, std::move(stop), false).text; });
    };
    auto text = co_await pool_.run(std::move(work));
    co_return text;
}
awaitable<Observation> Database::observe(std::string sql) {
    auto work = [this, sql = std::move(sql)](std::stop_token stop) {
        return shared_->read([&](Connection& c) { return c.query(sql, std::move(stop), true); });
    };
    auto observation = co_await pool_.run(std::move(work));
    co_return observation;
}
bool Database::writable() const { return shared_->access == SqlAccess::write; }
awaitable<std::string> Database::change(std::string sql) {
    if (!writable())
        throw Error(Code::usage,
                    "this database is opened for reading only: open it with SqlAccess::write to change it");
    auto work = [this, sql = std::move(sql)](std::stop_token stop) {
        return shared_->use(SqlAccess::write, [&](Connection& c) { return c.change(sql, std::move(stop)); });
    };
    auto text = co_await pool_.run(std::move(work));
    co_return text;
}
}
