// The sample is created once, as an image in memory that all connections read.
#include "tools/sql/database.hpp"
#include "engine/error.hpp"
#include "engine/pool.hpp"
#include "tools/sql/connection.hpp"
#include <mutex>
#include <sys/stat.h>

namespace weft::tools {
extern const std::string_view sales_sql;

namespace {
/// The identity of the file at a path. Zero for the sample, and without a file.
struct FileId {
    explicit FileId(const std::string& path) {
        struct stat found {};
        if (::stat(path.c_str(), &found) == 0) device = found.st_dev, inode = found.st_ino;
    }
    bool operator==(const FileId&) const = default;
    dev_t device{};
    ino_t inode{};
};
/// The file is identified before it is opened: if it is replaced in between, it is only opened once too often.
struct IdentifiedConnection {
    FileId file;
    std::unique_ptr<SqlConnection> connection;
};
}

// Idle connections wait here; there are never more of a kind than threads in the pool. A connection whose file was
// replaced or deleted would read old rows: the next call closes it once it is idle.
struct Database::State {
    State(Pool& t, std::string p, SqlLimits l, SqlAccess a) : pool(t), path(std::move(p)), limits(l), access(a) {}
    IdentifiedConnection take(SqlAccess how) {
        const FileId file(path);
        {
            std::lock_guard lock(mutex);
            for (auto& of_kind : idle)
                std::erase_if(of_kind, [&](const IdentifiedConnection& one) { return one.file != file; });
            if (auto& of_kind = idle[int(how)]; !of_kind.empty()) {
                auto opened = std::move(of_kind.back());
                of_kind.pop_back();
                return opened;
            }
        }
        if (access != how) open_file(path, access);  // rolls back the changes of a killed writer, as no reader can
        auto handle = image.empty() ? open_file(path, how) : open_image(image);
        return {file, std::make_unique<SqlConnection>(std::move(handle), limits, how)};
    }
    void give_back(IdentifiedConnection opened, SqlAccess how) {
        if (!opened.connection->is_usable() || opened.file != FileId(path)) return;
        std::lock_guard lock(mutex);
        idle[int(how)].push_back(std::move(opened));
    }
    /// Runs the work on a connection, which is kept after an interruption or a refusal, unless its transaction is
    /// still open.
    auto use(SqlAccess how, auto& work, std::stop_token stop) {
        struct Lease {
            State& shared;
            SqlAccess how;
            IdentifiedConnection opened = shared.take(how);
            ~Lease() { shared.give_back(std::move(opened), how); }
        } lease{*this, how};
        return work(*lease.opened.connection, std::move(stop));
    }
    /// The same on a thread of the pool.
    auto run(SqlAccess how, auto work) {
        return pool.run([this, how, work = std::move(work)](std::stop_token stop) mutable {
            return use(how, work, std::move(stop));
        });
    }
    Pool& pool;
    const std::string path;
    const SqlLimits limits;
    const SqlAccess access;
    std::vector<unsigned char> image;
    std::mutex mutex;
    std::vector<IdentifiedConnection> idle[2];  // by access: read, write
};

Database::Database(Pool& pool, SqlLimits limits) : shared_(std::make_unique<State>(pool, "", limits, SqlAccess::read)) {
    shared_->image = make_image(sales_sql);
}
Database::Database(Pool& pool, const std::string& path, SqlLimits limits, SqlAccess access)
    : shared_(std::make_unique<State>(pool, path, limits, access)) {
    auto opened = shared_->take(SqlAccess::read);
    opened.connection->check(path, std::chrono::seconds(2));
    shared_->give_back(std::move(opened), SqlAccess::read);
}
Database::~Database() = default;

awaitable<std::string> Database::tables() {
    return shared_->run(SqlAccess::read,
                        [](SqlConnection& c, std::stop_token stop) { return c.tables(std::move(stop)); });
}
awaitable<std::string> Database::describe(std::string table) {
    return shared_->run(SqlAccess::read, [table = std::move(table)](SqlConnection& c, std::stop_token stop) {
        return c.describe(table, std::move(stop));
    });
}
awaitable<std::string> Database::query(std::string sql) {
    return shared_->run(SqlAccess::read, [sql = std::move(sql)](SqlConnection& c, std::stop_token stop) {
        return c.query(sql, std::move(stop), false).text;
    });
}
awaitable<Observation> Database::observe(std::string sql) {
    return shared_->run(SqlAccess::read, [sql = std::move(sql)](SqlConnection& c, std::stop_token stop) {
        return c.query(sql, std::move(stop), true);
    });
}
bool Database::writable() const { return shared_->access == SqlAccess::write; }
awaitable<std::string> Database::change(std::string sql) {
    if (!writable())
        throw Error(Code::usage,
                    "this database is opened for reading only: open it with SqlAccess::write to change it");
    auto changing = shared_->run(SqlAccess::write, [sql = std::move(sql)](SqlConnection& c, std::stop_token stop) {
        return c.change(sql, std::move(stop));
    });
    co_return co_await std::move(changing);
}
}
