// The binary format: numbers in big-endian order, times in microseconds since the year 2000, arrays as a header and
// their elements, each with its length.
#include "engine/store/postgres/values.hpp"
#include "engine/store/postgres/libpq.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <limits>

namespace weft::storage {
namespace {
constexpr unsigned type_int8 = 20, type_text = 25, type_texts = 1009, type_numbers = 1016, type_time = 1184;
constexpr std::int64_t year_2000 = 946'684'800'000'000;  // in microseconds since 1970
constexpr std::int64_t first_time = -211'813'488'000'000'000, last_time = 9'223'371'331'199'999'999;  // since 2000
constexpr char odd_mark = '\x01';

template <class Number> void append_big_endian(std::string& all, Number number) {
    for (int shift = int(sizeof number) * 8; shift > 0;) all += char(number >> (shift -= 8));
}
std::string number_bytes(std::int64_t number) {
    std::string bytes;
    append_big_endian(bytes, std::uint64_t(number));
    return bytes;
}
std::int64_t number_of(const char* bytes, int size) {
    std::uint64_t number = size > 0 && static_cast<signed char>(bytes[0]) < 0 ? ~std::uint64_t{0} : 0;
    for (int i = 0; i < size; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return std::int64_t(number);
}
void append_odd(std::string& all, char byte) {
    constexpr auto digits = "0123456789abcdef";
    all += odd_mark;
    all += digits[static_cast<unsigned char>(byte) >> 4];
    all += digits[byte & 15];
}

template <class Elements, class Bytes>
std::string array_bytes(const Elements& elements, unsigned type, const Bytes& bytes_of) {
    std::string all;
    append_big_endian(all, std::uint32_t(elements.empty() ? 0 : 1));  // number of dimensions
    append_big_endian(all, std::uint32_t(0));                         // no element is null
    append_big_endian(all, std::uint32_t(type));
    if (elements.empty()) return all;
    append_big_endian(all, std::uint32_t(elements.size()));
    append_big_endian(all, std::uint32_t(1));  // the first index
    for (auto& element : elements) {
        const auto bytes = bytes_of(element);
        append_big_endian(all, std::uint32_t(bytes.size()));
        all += bytes;
    }
    return all;
}
}
std::int64_t bounded(std::uint64_t number) {
    return std::int64_t(std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max()));
}
std::string to_postgres_text(std::string_view bytes) {
    std::string all;
    for (;;) {
        const auto sound = bytes.substr(0, utf8_prefix(bytes));
        if (sound.find('\0') == sound.npos && sound.find(odd_mark) == sound.npos) all += sound;
        else
            for (char c : sound) c == '\0' || c == odd_mark ? append_odd(all, c) : void(all += c);
        if (sound.size() == bytes.size()) return all;
        append_odd(all, bytes[sound.size()]);
        bytes.remove_prefix(sound.size() + 1);
    }
}
std::string from_postgres_text(std::string_view text) {
    if (text.find(odd_mark) == text.npos) return std::string(text);
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != odd_mark || i + 2 >= text.size()) {
            bytes += text[i];
            continue;
        }
        bytes += char(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]));
        i += 2;
    }
    return bytes;
}

void PostgresValues::put(unsigned type, std::optional<std::string> value) {
    types_.push_back(type);
    values_.push_back(std::move(value));
}
void PostgresValues::add(std::string_view text) { put(type_text, to_postgres_text(text)); }
void PostgresValues::add(TextOrNull value) {
    if (value.text.empty()) put(type_text, {});
    else add(value.text);
}
void PostgresValues::add(const std::optional<std::string_view>& text) {
    if (text) add(*text);
    else put(type_text, {});
}
void PostgresValues::add(PostgresTime time) {
    if (!time.at) return put(type_time, {});
    const auto since = std::clamp(*time.at, first_time + year_2000, last_time) - year_2000;
    put(type_time, number_bytes(since));
}
void PostgresValues::add(const std::optional<std::int64_t>& number) {
    put(type_int8, number ? std::optional(number_bytes(*number)) : std::nullopt);
}
void PostgresValues::add(const std::vector<std::string>& texts) {
    put(type_texts, array_bytes(texts, type_text, [](std::string_view text) { return to_postgres_text(text); }));
}
void PostgresValues::add(const std::vector<std::string_view>& texts) {
    put(type_texts, array_bytes(texts, type_text, [](std::string_view text) { return to_postgres_text(text); }));
}
void PostgresValues::add(const std::vector<std::int64_t>& numbers) {
    put(type_numbers, array_bytes(numbers, type_int8, number_bytes));
}

void PostgresRows::Clear::operator()(pg_result* result) const { PQclear(result); }
int PostgresRows::size() const { return PQntuples(result_.get()); }
bool PostgresRows::is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
std::string PostgresRows::text(int row, int column) const {
    return from_postgres_text(
        {PQgetvalue(result_.get(), row, column), std::size_t(PQgetlength(result_.get(), row, column))});
}
std::int64_t PostgresRows::number(int row, int column) const {
    return number_of(PQgetvalue(result_.get(), row, column), PQgetlength(result_.get(), row, column));
}
std::optional<std::int64_t> PostgresRows::time(int row, int column) const {
    if (is_null(row, column)) return {};
    // "infinity" and "-infinity" are the greatest and the least number.
    constexpr std::int64_t most = 1LL << 62;
    return std::clamp(number(row, column), -most, most) + year_2000;
}
}
