// Steps that survey a database: one branch for each table, side by side, and a report on all tables.
//
// An unreadable table does not end the survey: its finding has the reason. If no table has the name, the report has no
// findings.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "engine/describe.hpp"
#include "engine/event.hpp"
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::tools {
class Database;
}
namespace weft::workflows {
struct TopicEvent : StartEvent {
    std::string text;  // part of the tables' names, in any case; empty: all tables
    static constexpr std::string_view optional_fields[] = {"text"};
};
BOOST_DESCRIBE_STRUCT(TopicEvent, (), (text))

struct TableEvent {
    std::string table;
};
BOOST_DESCRIBE_STRUCT(TableEvent, (), (table))

struct FindingEvent {
    std::string table;
    std::vector<std::string> columns;  // "ORD_NUM INTEGER NOT NULL"
    std::int64_t rows = 0;
    std::optional<std::string> error;  // the reason why this table could not be read
};
BOOST_DESCRIBE_STRUCT(FindingEvent, (), (table, columns, rows, error))

struct ReportEvent : StopEvent {
    std::string text;
    std::vector<FindingEvent> findings;  // order of the tables
};
BOOST_DESCRIBE_STRUCT(ReportEvent, (), (text, findings))

awaitable<std::vector<TableEvent>> plan(Context&, TopicEvent, tools::Database&);
awaitable<FindingEvent> look(Context&, TableEvent, tools::Database&);
ReportEvent report(Context&, std::vector<FindingEvent>);
}
