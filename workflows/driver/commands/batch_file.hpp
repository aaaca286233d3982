// The file of `weft run --batch`: a JSON object in each line, {"input": {...}, "key": "..."}. All members may be
// absent; blank lines are skipped. First check() reads all lines, then next() gives one after the other.
#pragma once
#include "engine/clock.hpp"
#include "engine/event_json.hpp"
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace weft::driver {
struct BatchLine {
    nlohmann::json input = nlohmann::json::object();
    std::string key;  // empty: none
    // Instead of those of the command line:
    std::optional<std::string> queue;
    std::optional<int> priority;
    std::optional<WallTime> not_before;
    std::optional<JsonText> values;
};
class BatchFile {
public:
    /// Throws Error{usage} for a file that is not regular, cannot be read, or is too large.
    BatchFile(std::string name, const EventType& start);
    /// Reads all lines, and begins again. Also refuses a key that an earlier line has.
    void check();
    std::optional<BatchLine> next();

private:
    std::string place() const;
    [[noreturn]] void refuse(const std::string& why) const;
    void take_options(const nlohmann::json& object, BatchLine&) const;
    BatchLine parsed(const std::string& text) const;
    const std::string name_;
    const EventType& start_;
    std::ifstream file_;
    std::size_t line_ = 0;  // number of the last line
};
}
