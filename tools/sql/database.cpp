// The sample is made once, as an image in memory that every connection reads.
#include "tools/sql/database.hpp"
#include "engine/pool.hpp"
#include "tools/sql/connection.hpp"
#include <mutex>

namespace weft::tools {
extern const unsigned char sales_sql[];
extern const std::size_t sales_sql_size;

// Connections that nobody uses wait here; there are never more than the pool has threads.
struct Database::Shared {
    Shared(std::string p, SqlLimits l) : path(std::move(p)), limits(l) {}
    std::unique_ptr<Connection> take() {
        {
            std::lock_guard lock(mutex);
            if (!idle.empty()) {
                auto connection = std::move(idle.back());
                idle.pop_back();
                return connection;
            }
        }
        return std::make_unique<Connection>(image.empty() ? open_file(path) : open_image(image), limits);
    }
    void give_back(std::unique_ptr<Connection> connection) {
        std::lock_guard lock(mutex);
        idle.push_back(std::move(connection));
    }
    /// Runs the work on a connection; one that was interrupted or refused something serves on.
    auto use(auto&& work) {
        struct Lease {
            Shared& shared;
            std::unique_ptr<Connection> connection = shared.take();
            ~Lease() { shared.give_back(std::move(connection)); }
        } lease{*this};
        return work(*lease.connection);
    }
    const std::string path;
    const SqlLimits limits;
    std::vector<unsigned char> image;
    std::mutex mutex;
    std::vector<std::unique_ptr<Connection>> idle;
};

Database::Database(Pool& pool, SqlLimits limits) : pool_(pool), shared_(std::make_unique<Shared>("", limits)) {
    shared_->image = make_image({reinterpret_cast<const char*>(sales_sql), sales_sql_size});
}
Database::Database(Pool& pool, const std::string& path, SqlLimits limits)
    : pool_(pool), shared_(std::make_unique<Shared>(path, limits)) {
    auto connection = std::make_unique<Connection>(open_file(path), limits);
    connection->check(path, std::chrono::seconds(2));
    shared_->give_back(std::move(connection));
}
Database::~Database() = default;

awaitable<std::string> Database::tables() {
    auto work = [this](std::stop_token stop) {
        return shared_->use([&](Connection& c) { return c.tables(std::move(stop)); });
    };
    auto text = co_await pool_.run(std::move(work));
    co_return text;
}
awaitable<std::string> Database::describe(std::string table) {
    auto work = [this, table = std::move(table)](std::stop_token stop) {
        return shared_->use([&](Connection& c) { return c.describe(table, std::move(stop)); });
    };
    auto text = co_await pool_.run(std::move(work));
    co_return text;
}
awaitable<std::string> Database::query(std::string sql) {
    auto observation = co_await observe(std::move(sql));
    co_return std::move(observation.text);
}
awaitable<Observation> Database::observe(std::string sql) {
    auto work = [this, sql = std::move(sql)](std::stop_token stop) {
        return shared_->use([&](Connection& c) { return c.query(sql, std::move(stop)); });
    };
    auto observation = co_await pool_.run(std::move(work));
    co_return observation;
}
}
