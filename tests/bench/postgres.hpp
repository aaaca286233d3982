// Workload J: runs in PostgreSQL, compared with the bare disk of its server's data.
#pragma once
#include "tests/bench/slices.hpp"
#include "tests/support/postgres_server.hpp"
#include <string>

namespace bench {
/// A private server that syncs, and the bare disk, in slices of a second. The disk's file exists already, like a
/// server's files of its log.
struct Postgres {
    BenchFolder folder;
    BareDisk disk{folder, 1e9, BareDisk::File::is_there};
    PostgresServer server{folder.path()};
};
void postgres_steps(Postgres&, std::size_t width);
void postgres_claims(Postgres&);
void postgres_workers(Postgres&);
void postgres_restart(Postgres&);

/// Prints the server's address for postgres_peers.py, and runs until its standard input ends.
int serve_postgres();
/// Executes runs of five steps: each line of standard input has the number of parallel runs, and the number of all
/// runs. Each answer is a line of JSON with the steps per second.
int run_five_steps(const std::string& url);
}
