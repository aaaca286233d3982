// The result of a tool call: a text for the model, and for the human another text, files and tables, which the model
// never sees.
//
//     Observation observation{"34 orders, 1 242 350 in total"};
//     observation.display = Display{.text = "Orders of 2024"};
//     observation.display->tables.push_back({"orders", {"order", "total"}, {{"7", "1250"}, {"8", "990"}}});
//     observation.display->files.push_back(shown_file("orders.csv", "text/csv", text));
//
// The display stays with the observation in events, the stream, the store, traces and the server's page. All of them
// treat it as untrusted text, and neutralize it.
#pragma once
#include "engine/describe.hpp"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools {
/// A file for the human, made by shown_file().
struct ShownFile {
    std::string name, media_type;
    std::int64_t bytes = 0;  // size of the content
    std::string data;        // the content in base64; empty: too large to keep
    friend bool operator==(const ShownFile&, const ShownFile&) = default;
};
BOOST_DESCRIBE_STRUCT(ShownFile, (), (name, media_type, bytes, data))

struct ShownTable {
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;  // each row has a text for every column
    std::int64_t more_rows = 0;                  // number of rows that are left out
    static constexpr std::string_view optional_fields[] = {"more_rows"};
    friend bool operator==(const ShownTable&, const ShownTable&) = default;
};
BOOST_DESCRIBE_STRUCT(ShownTable, (), (name, columns, rows, more_rows))

/// The human sees this in place of the model's text.
struct Display {
    std::string text;  // empty: the model's text
    std::vector<ShownFile> files;
    std::vector<ShownTable> tables;
    static constexpr std::string_view optional_fields[] = {"text", "files", "tables"};
    friend bool operator==(const Display&, const Display&) = default;
};
BOOST_DESCRIBE_STRUCT(Display, (), (text, files, tables))

/// The model's view of a call. Errors inside a tool are observations too: the model may react to them.
struct Observation {
    std::string text;
    bool ok = true;                       // the tool succeeded
    bool ran = true;                      // the tool was called; false: unknown tool or wrong arguments
    std::optional<Display> display = {};  // for the human
    friend bool operator==(const Observation&, const Observation&) = default;
};
BOOST_DESCRIBE_STRUCT(Observation, (), (text, ok, ran, display))

ShownFile shown_file(std::string name, std::string media_type, std::string_view content);
/// The content; std::nullopt if the data is empty or no base64.
std::string content_of(const ShownFile&);

/// Cuts an observation to its limits, with marks: 64 KiB for each text; 8 files of 128 KiB each and 256 KiB together; 8
/// tables of 500 rows, 50 columns and 128 KiB together; names of 200 bytes. The whole display takes at most 576 KiB as
/// JSON, where a control character may take six bytes. A file that is too large keeps its name and its size only; a
/// table without room has neither columns nor rows. Afterwards all texts are UTF-8, and each row has a text for each
/// column.
Observation bounded(Observation);

/// One line for each: "file orders.csv (text/csv, 1234 bytes)", "table orders (2 columns, 34 rows)".
std::vector<std::string> in_lines(const Display&);
}
