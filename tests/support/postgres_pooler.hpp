// PgBouncer in front of a server of the tests, in its mode "transaction": it has few connections to the server, and
// each transaction of a client may use another one.
//
//     PostgresPooler pooler(PostgresServer::shared());
//     PostgresStore store(pooler.url());
//
// Destroy it before the server. The constructor throws if it does not start.
#pragma once
#include "tests/support/postgres_server.hpp"

class PostgresPooler {
public:
    explicit PostgresPooler(PostgresServer&, int connections = 3, const std::string& more_settings = {});
    PostgresPooler(const PostgresPooler&) = delete;
    PostgresPooler& operator=(const PostgresPooler&) = delete;
    ~PostgresPooler();
    static PostgresPooler& shared();  // a pooler of the shared server
    std::string url() const;
    std::string value_of(const std::string& query) const;  // like any other client

private:
    PostgresServer& server_;
    int port_;
    pid_t process_ = -1;
};
