// A private PostgreSQL server of this program, in a folder of its own: no TCP, and nothing of the system's server.
//
//     auto& server = PostgresServer::shared();      // started by the first who asks, stopped when the program ends
//     server.clear();                               // no tables of weft
//     PostgresStore store(server.url());
//
// The server refuses to run as root; then it runs as `postgres` or `nobody`. It ends with this program, however that
// ends. If it does not start, that is an exception with the end of its log.
//
// Its data are in memory if possible, as the cost of a sync is not tested. Benchmarks give it a folder on a disk; then
// it has PostgreSQL's default settings.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

class PostgresServer {
public:
    explicit PostgresServer(const std::string& folder_on_disk = {});
    PostgresServer(const PostgresServer&) = delete;
    PostgresServer& operator=(const PostgresServer&) = delete;
    ~PostgresServer();
    static PostgresServer& shared();

    std::string url(const std::string& database = "postgres", const std::string& user = "weft") const;
    std::string socket() const { return folder_ + "/.s.PGSQL.5432"; }
    /// As the owner of all.
    void sql(const std::string& script, const std::string& database = "postgres");
    /// The first column of the first row.
    std::string value_of(const std::string& query, const std::string& database = "postgres");
    void clear() { sql("drop schema if exists weft cascade"); }

    void kill();   // with all its children, without a chance to do anything
    void start();  // again

    /// A program of the server's, or by its path another one beside it: as the same user, and killed when this one
    /// ends. Whoever asks waits for it.
    pid_t launch(const std::vector<std::string>& command) const;
    const std::string& folder() const { return folder_; }

private:
    void wait_until_ready() const;
    std::string said() const;

    std::string folder_, data_;  // the first one has its socket, whose path is to be short
    std::vector<std::string> settings_;
    pid_t server_ = -1;
};
