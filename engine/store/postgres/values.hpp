// The parameters of a PostgreSQL statement, and its rows: numbers, times and texts in the binary format.
//
//     PostgresValues values("r1", std::int64_t{7}, std::vector<std::string>{"a", "b"});     // $1, $2, $3
//     for (int i = 0; i < rows.size(); ++i) use(rows.text(i, 0));
//
// Text in the database is UTF-8 without zero bytes; text in weft may be any bytes. Other bytes are stored as U+0001 and
// two hexadecimal digits. JSON contains neither, so people can read it unchanged in the tables. Use both classes on one
// thread at a time.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pg_result;

namespace weft::storage {
std::string to_postgres_text(std::string_view bytes);
std::string from_postgres_text(std::string_view text);

/// A text that is null if empty.
struct TextOrNull {
    std::string_view text;
};
/// A time in microseconds since 1970; null if empty.
struct PostgresTime {
    std::optional<std::int64_t> at;
};

class PostgresValues {
public:
    template <class... Values> explicit PostgresValues(const Values&... values) { (add(values), ...); }

    void add(std::string_view);
    void add(const std::string& text) { add(std::string_view(text)); }
    void add(const char* text) { add(std::string_view(text)); }
    void add(TextOrNull);
    void add(const std::optional<std::string_view>&);
    void add(PostgresTime);
    void add(const std::optional<std::int64_t>&);
    template <std::integral Number> void add(Number number) { add(std::optional(std::int64_t(number))); }
    void add(const std::vector<std::string>&);
    void add(const std::vector<std::string_view>&);
    void add(const std::vector<std::int64_t>&);

    int size() const { return int(types_.size()); }
    const unsigned* types() const { return types_.data(); }
    const std::optional<std::string>& operator[](std::size_t i) const { return values_[i]; }

private:
    void put(unsigned type, std::optional<std::string> value);
    std::vector<unsigned> types_;
    std::vector<std::optional<std::string>> values_;
};

class PostgresRows {
public:
    explicit PostgresRows(pg_result* result) : result_(result) {}
    int size() const;
    bool is_null(int row, int column) const;
    std::string text(int row, int column) const;  // null: empty; the other functions return 0
    std::int64_t number(int row, int column) const;
    std::uint64_t count(int row, int column) const { return std::uint64_t(number(row, column)); }
    std::optional<std::int64_t> time(int row, int column) const;

private:
    struct Clear {
        void operator()(pg_result*) const;
    };
    std::unique_ptr<pg_result, Clear> result_;
};
/// Limits a number to the maximum of a signed 64-bit number, which exceeds all stored numbers.
std::int64_t bounded(std::uint64_t);
}
