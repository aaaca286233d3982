// A private PostgreSQL server of this program, in its own folder: no TCP, and independent of the system's server.
//
//     auto& server = PostgresServer::shared();      // started by the first call, stopped when the program ends
//     server.clear();                               // removes the tables of weft
//     PostgresStore store(server.url());
//
// The server refuses to run as root: then it runs as `postgres` or `nobody`. It ends with this program, also after a
// kill. The constructor throws with the end of the log if it does not start.
//
// Its data are in memory if possible, because no test needs the cost of a sync. Benchmarks give it a folder on a disk
// and PostgreSQL's default settings.
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
    std::string socket() const { return folder_ + "/.s.PGSQL." + std::to_string(port_); }
    /// Executes a statement as the superuser.
    void sql(const std::string& script, const std::string& database = "postgres");
    /// Returns the first column of the first row.
    std::string value_of(const std::string& query, const std::string& database = "postgres");
    void clear() { sql("drop schema if exists weft cascade"); }

    void kill();   // kills the server and all its children at once
    void start();  // starts it again
    /// Kills the server, and starts it with these arguments for its program beside the usual ones. The port counts for
    /// TCP, if an argument makes the server listen there, and for the socket.
    void restart_with(std::vector<std::string> arguments, int port);

    /// Starts a program of the server, or another one by its path, as the server's user. This program's end kills it.
    /// The caller waits for the child.
    pid_t launch(const std::vector<std::string>& command) const;
    const std::string& folder() const { return folder_; }

private:
    void wait_until_ready() const;
    std::string said() const;

    std::string folder_, data_;  // `folder_` has the socket, whose path must be short
    std::vector<std::string> settings_, more_settings_;
    int port_ = 5432;
    pid_t server_ = -1;
};
