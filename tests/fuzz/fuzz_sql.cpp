// Any bytes as a query give rows or a ToolError in a bounded time, and the database stays unchanged.
#include "engine/pool.hpp"
#include "tools/sql/connection.hpp"
#include "tools/tool.hpp"
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace weft::tools;
    static const auto image = make_image(
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT REFERENCES p(x), c);"
        "CREATE TABLE p (x TEXT); INSERT INTO t VALUES (1, 'one', 1.5), (2, NULL, x'00');");
    static const auto before = image;
    static const SqlLimits limits{.deadline = std::chrono::milliseconds(100), .memory = 16u << 20};
    static SqlConnection connection(open_image(image), limits);
    std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto bound = [](const std::string& said) {
        if (said.size() > (20u << 10)) std::abort();
    };
    try {
        bound(connection.query(text, {}).text);
    } catch (const ToolError&) {}
    try {
        bound(connection.describe(text, {}));
    } catch (const ToolError&) {}
    for (int attempts = 50; attempts > 0; --attempts) try {
            const bool is_same = connection.query("SELECT COUNT(*), SUM(a) FROM t", {}).text == "[(2, 3)]";
            if (!is_same || image != before) std::abort();
            return 0;
        } catch (const ToolError&) {}  // a busy machine needs longer than the deadline
    std::abort();
}
