// The roles of docs/postgres.md, made by the statements of that page: each has the rights for its task, and no more.
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/postgres_server.hpp"
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>

using namespace stores;

namespace {
/// Returns all texts between this beginning and this end.
std::vector<std::string> parts_between(const std::string& text, const std::string& from, const std::string& to) {
    std::vector<std::string> parts;
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at)) {
        const auto end = text.find(to, at += from.size());
        parts.push_back(text.substr(at, end - at));
    }
    return parts;
}
std::vector<std::string> sql_of_page() {
    std::ifstream in(WEFT_POSTGRES_PAGE);
    return parts_between({std::istreambuf_iterator<char>(in), {}}, "```sql\n", "```");
}
/// Makes the database of the page on the tests' server.
struct PageDatabase {
    PostgresServer& server = PostgresServer::shared();
    PageDatabase() {
        const auto blocks = sql_of_page();
        REQUIRE(blocks.size() == 5);
        server.sql("drop database if exists weft");
        for (const auto* role : {"owner", "worker", "clerk", "reader", "pruner"})
            server.sql(std::string("drop role if exists weft_") + role);
        // "create database" must be the only statement of a query.
        for (auto& statement : parts_between(";\n" + blocks[0], ";\n", ";\n"))
            if (!statement.empty()) server.sql(statement);
        PostgresStore tables(url("weft_owner"));
        server.sql("set role weft_owner; " + blocks[1], "weft");
        server.sql("set role weft_reader; " + blocks[2], "weft");
        server.sql("set role weft_reader; " + blocks[3], "weft");
        server.sql("set role weft_owner; " + blocks[4], "weft");
    }
    ~PageDatabase() { server.sql("drop database weft with (force)"); }
    std::string url(const std::string& role) const { return server.url("weft", role); }
};
template <class Call> bool is_denied(Call call) {
    const auto refused = refusal(call);
    return refused.code == Code::journal && refused.sentence.find("permission denied for") != std::string::npos;
}
/// A batch with all possible members; it also leaves the run.
Batch last_batch(Store& store, const std::string& id) {
    auto batch = batch_of(store, id, {"end of " + id});
    batch.mail = {"m"};
    batch.snapshot = Snapshot{.upto = 1, .body = "{}", .sum = chained_sum(0, 1, "{}")};
    batch.plan = StoredPlan{.hash = "h2", .workflow = "refund", .plan = "{}"};
    batch.left = left(RunStatus::done, "1", 1);
    return batch;
}
}
TEST_CASE("the roles of the page have exactly the rights for their tasks") {
    PageDatabase database;
    PostgresStore worker(database.url("weft_worker"));
    auto kept = run_of("r2", "");
    kept.start_key = "k";

    CHECK(create(worker, run_of("r1")).is_new);
    CHECK(create(worker, kept).is_new);
    CHECK(heartbeat(worker, "ann").alive);
    CHECK(claim(worker, {.owner = "ann"}).size() == 1);
    CHECK(claim(worker, {.owner = "ann", .ids = {"r2"}}).empty());
    CHECK(send(worker, "r1", "m").is_new);
    CHECK(append(worker, batch_of(worker, "r1", {"a"})) == AppendReply::stored);
    CHECK(write_log(worker, entries_of("r1", 0, {"e"})).next == 1);
    CHECK(append(worker, last_batch(worker, "r1")) == AppendReply::stored);
    CHECK_NOTHROW(heartbeat(worker, "ann", 0));
    CHECK(is_denied([&] { prune(worker); }));
    CHECK(database.server.value_of("select count(*) from pg_roles r, pg_class t where r.rolname in ('weft_worker', "
                                   "'weft_clerk', 'weft_reader') and t.oid = 'weft.ticks'::regclass and "
                                   "has_table_privilege(r.oid, t.oid, 'update, delete, truncate')",
                                   "weft") == "0");

    auto debounced = run_of("r0", "");
    debounced.debounce = "d";
    debounced.not_before = 4'000'000'000'000'000;
    CHECK(is_denied([&] { create(worker, debounced); }));
    database.server.sql("grant update (at, body, sum) on weft.ticks to weft_worker", "weft");
    CHECK(create(worker, debounced).is_new);
    database.server.sql("delete from weft.runs where id = 'r0'; delete from weft.ticks where run = 'r0'; "
                        "revoke update (at, body, sum) on weft.ticks from weft_worker",
                        "weft");

    PostgresStore clerk(database.url("weft_clerk"));
    CHECK(send(clerk, "r2", "m").is_new);
    CHECK(is_denied([&] { create(clerk, run_of("r3")); }));
    CHECK(is_denied([&] { append(clerk, batch_of(clerk, "r2", {"a"})); }));
    CHECK(is_denied([&] { claim(clerk, {.owner = "bob"}); }));
    CHECK(is_denied([&] { prune(clerk); }));

    PostgresStore reader(database.url("weft_reader"));
    CHECK(list(reader).size() == 2);
    CHECK(load(reader, "r2").mail.size() == 1);
    CHECK(bodies(read_log(reader, "r1")) == std::vector<std::string>{"e"});
    CHECK(plan(reader, "h2").workflow == "refund");
    CHECK(survey(reader).runs.size() == 1);
    CHECK(is_denied([&] { send(reader, "r2", "n"); }));
    CHECK(is_denied([&] { heartbeat(reader, "bob"); }));
    CHECK(is_denied([&] { prune(reader); }));

    PostgresStore pruner(database.url("weft_pruner"));
    CHECK(is_denied([&] { send(pruner, "r2", "n"); }));
    CHECK(prune(pruner) == 1);
    CHECK(list(pruner).size() == 1);
}
