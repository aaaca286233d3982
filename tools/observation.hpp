// What a call of a tool gives back: a text for the model, and for the human another text, files and tables, of which
// the model is told nothing.
//
//     Observation observation{"34 orders, 1 242 350 in total"};
//     observation.display = Display{.text = "Orders of 2024"};
//     observation.display->tables.push_back({"orders", {"order", "total"}, {{"7", "1250"}, {"8", "990"}}});
//     observation.display->files.push_back(shown_file("orders.csv", "text/csv", text));
//
// The display goes along with the observation: through the events, the stream, what is stored of the run, the traces
// and the page of the server. All of it is text of a stranger to them, which they neutralise.
#pragma once
#include "engine/describe.hpp"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools {
/// A file that a human may look at or keep. Made by shown_file().
struct ShownFile {
    std::string name, media_type;
    std::int64_t bytes = 0;  // of its content
    std::string data;        // the content in base 64; empty if it was too large to be kept
    friend bool operator==(const ShownFile&, const ShownFile&) = default;
};
BOOST_DESCRIBE_STRUCT(ShownFile, (), (name, media_type, bytes, data))

struct ShownTable {
    std::string name;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;  // each with a text for every column
    std::int64_t more_rows = 0;                  // that are not among these
    static constexpr std::string_view optional_fields[] = {"more_rows"};
    friend bool operator==(const ShownTable&, const ShownTable&) = default;
};
BOOST_DESCRIBE_STRUCT(ShownTable, (), (name, columns, rows, more_rows))

/// What a human is shown in place of the model's text.
struct Display {
    std::string text;  // empty: that of the model
    std::vector<ShownFile> files;
    std::vector<ShownTable> tables;
    static constexpr std::string_view optional_fields[] = {"text", "files", "tables"};
    friend bool operator==(const Display&, const Display&) = default;
};
BOOST_DESCRIBE_STRUCT(Display, (), (text, files, tables))

/// What the model gets. Errors inside a tool are observations too: the model may react to them.
struct Observation {
    std::string text;
    bool ok = true;                       // the tool did what it was asked
    bool ran = true;                      // it was called; else there is no such tool, or the arguments were wrong
    std::optional<Display> display = {};  // for the human
    friend bool operator==(const Observation&, const Observation&) = default;
};
BOOST_DESCRIBE_STRUCT(Observation, (), (text, ok, ran, display))

ShownFile shown_file(std::string name, std::string media_type, std::string_view content);
/// The content; nothing if the data is empty or no base 64.
std::string content_of(const ShownFile&);

/// Cut to what an observation may have, with marks: 64 KiB of either text, 8 files of 128 KiB and of 256 KiB together,
/// 8 tables of 500 rows, 50 columns and 128 KiB together, names of 200 bytes; and all that is shown takes 576 KiB at
/// most as JSON, where a control character may take six bytes. A file that is too large is left out but for its name
/// and its size; of a table without room there are neither columns nor rows. All texts are UTF-8 afterwards, and every
/// row has a text for each column.
Observation bounded(Observation);

/// "file orders.csv (text/csv, 1234 bytes)", "table orders (2 columns, 34 rows)": a line for each.
std::vector<std::string> in_lines(const Display&);
}
