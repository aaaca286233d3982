#include "engine/pool.hpp"
#include "engine/run.hpp"
#include "engine/testing/await.hpp"
#include "tools/sql/database.hpp"
#include "workflows/research.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::workflows;

namespace {
struct Sample {
    Pool pool;
    tools::Database database{pool};
    ReportEvent survey(const std::string& topic) {
        TopicEvent event;
        event.text = topic;
        return run(workflows::research.with(database), event);
    }
};
}

TEST_CASE("a survey has a finding for every table, in the order of the plan") {
    Sample sample;
    const auto report = sample.survey("");

    REQUIRE(report.findings.size() == 3);
    CHECK(report.findings[0].table == "AGENTS");
    CHECK(report.findings[1].table == "CUSTOMER");
    CHECK(report.findings[2].table == "ORDERS");
    std::int64_t rows = 0;
    for (const auto& finding : report.findings) {
        CHECK_FALSE(finding.error);
        CHECK(finding.columns.size() > 3);
        CHECK(finding.rows > 0);
        rows += finding.rows;
    }
    CHECK(report.text == "3 tables with " + std::to_string(rows) + " rows");
}
TEST_CASE("a topic selects tables in any letter case, and a report without tables has no findings") {
    Sample sample;
    const auto orders = sample.survey("oRdEr");
    REQUIRE(orders.findings.size() == 1);
    CHECK(orders.findings[0].table == "ORDERS");
    const auto nothing = sample.survey("no such table");
    CHECK(nothing.findings.empty());
    CHECK(nothing.text == "0 tables with 0 rows");
}
TEST_CASE("an unreadable table is a finding with the reason") {
    Sample sample;
    Context ctx;
    TableEvent event;
    event.table = "NO \"SUCH\" TABLE";

    const auto finding = testing::await(look(ctx, event, sample.database));

    REQUIRE(finding.error);
    CHECK(finding.error->find("NO") != std::string::npos);
    CHECK(finding.rows == 0);
}
