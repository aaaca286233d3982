// Workload J: runs in PostgreSQL, beside the bare disk that its server has its data on.
#pragma once
#include "tests/bench/slices.hpp"
#include "tests/support/postgres_server.hpp"
#include <string>

namespace bench {
/// A server of this program's own, which syncs, and the bare disk: a second for each slice, in a file that is there, as
/// those are that a server writes its log to.
struct Postgres {
    BenchFolder folder;
    BareDisk disk{folder, 1e9, BareDisk::File::is_there};
    PostgresServer server{folder.path()};
};
void postgres_steps(Postgres&, std::size_t width);
void postgres_claims(Postgres&);
void postgres_workers(Postgres&);
void postgres_restart(Postgres&);

/// For postgres_peers.py: prints the server's address, and is there until its input ends.
int serve_postgres();
/// Executes runs of five steps as it is told: each line of its input has how many at once, and how many in all. Each
/// answer is a line of JSON: the steps that were made in a second.
int run_five_steps(const std::string& url);
}
