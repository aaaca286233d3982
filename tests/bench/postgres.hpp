// Workload J: runs in PostgreSQL, beside the bare disk that its server has its data on.
#pragma once
#include "tests/bench/slices.hpp"
#include "tests/support/postgres_server.hpp"
#include <string>

namespace bench {
/// A private server that syncs, and the bare disk, in slices of a second. Its file exists already, as those do to which
/// a server writes its log.
struct Postgres {
    BenchFolder folder;
    BareDisk disk{folder, 1e9, BareDisk::File::is_there};
    PostgresServer server{folder.path()};
};
void postgres_steps(Postgres&, std::size_t width);
void postgres_claims(Postgres&);
void postgres_workers(Postgres&);
void postgres_restart(Postgres&);

/// For postgres_peers.py: prints the server's address, and runs until its standard input ends.
int serve_postgres();
/// Executes runs of five steps: each line of standard input has the number of runs at once, and the number of all runs.
/// Each answer is a line of JSON with the steps per second.
int run_five_steps(const std::string& url);
}
