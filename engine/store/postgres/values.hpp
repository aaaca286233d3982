// What goes to a statement of PostgreSQL, and the rows that come back: numbers, times and texts in its binary format.
//
//     PostgresValues values("r1", std::int64_t{7}, std::vector<std::string>{"a", "b"});     // $1, $2, $3
//     for (int i = 0; i < rows.size(); ++i) use(rows.text(i, 0));
//
// A text of the database is UTF-8 without zero bytes; ours may be any bytes. What it cannot hold is written as U+0001
// and two hexadecimal digits: JSON has neither, so it stands in the tables as it was written, to be read by people.
// Of one thread at a time.
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

/// A text of which the empty one is null.
struct TextOrNull {
    std::string_view text;
};
/// A time in microseconds since 1970; null if there is none.
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
    std::string text(int row, int column) const;  // empty if it is null, as are the others 0
    std::int64_t number(int row, int column) const;
    std::uint64_t count(int row, int column) const { return std::uint64_t(number(row, column)); }
    std::optional<std::int64_t> time(int row, int column) const;

private:
    struct Clear {
        void operator()(pg_result*) const;
    };
    std::unique_ptr<pg_result, Clear> result_;
};
/// A number that no 64 bits with a sign can hold is more than any that is stored.
std::int64_t bounded(std::uint64_t);
}
