// A pooler's sockets and files are in the server's folder, under the pooler's own number. Like the server, it refuses
// to run as root.
#include "tests/support/postgres_pooler.hpp"
#include "tests/support/limit.hpp"
#include <chrono>
#include <csignal>
#include <fstream>
#include <libpq-fe.h>
#include <memory>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>

PostgresPooler::PostgresPooler(PostgresServer& server, int connections, const std::string& more_settings)
    : server_(server) {
    static int last_port = 6432;  // only names a socket: no process listens on the port
    port_ = last_port++;
    const auto base = server.folder() + "/pooler_" + std::to_string(port_);
    std::ofstream(base + ".users") << "\"weft\" \"\"\n";
    std::ofstream(base + ".ini") << "[databases]\n* = host=" << server.folder() << "\n[pgbouncer]\nlisten_addr =\n"
                                 << "unix_socket_dir = " << server.folder() << "\nlisten_port = " << port_
                                 << "\nauth_type = trust\nauth_file = " << base << ".users\npool_mode = transaction\n"
                                 << "default_pool_size = " << connections << "\nserver_login_retry = 1\n"
                                 << more_settings;
    process_ = server.launch({WEFT_POSTGRES_POOLER, "-q", base + ".ini"});
    const auto deadline = std::chrono::steady_clock::now() + test::limit;
    while (PQping(url().c_str()) != PQPING_OK) {
        if (::waitpid(process_, nullptr, WNOHANG) != 0 || std::chrono::steady_clock::now() > deadline)
            throw std::runtime_error("pgbouncer does not start");
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}
PostgresPooler::~PostgresPooler() {
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
}
PostgresPooler& PostgresPooler::shared() {
    static PostgresPooler pooler(PostgresServer::shared());
    return pooler;
}
std::string PostgresPooler::url() const { return server_.url() + "&port=" + std::to_string(port_); }
std::string PostgresPooler::value_of(const std::string& query) const {
    const std::unique_ptr<PGconn, void (*)(PGconn*)> client(PQconnectdb(url().c_str()), &PQfinish);
    const std::unique_ptr<PGresult, void (*)(PGresult*)> rows(PQexec(client.get(), query.c_str()), &PQclear);
    if (PQntuples(rows.get()) != 1) throw std::runtime_error(query + ": " + PQerrorMessage(client.get()));
    return PQgetvalue(rows.get(), 0, 0);
}
