// These functions take quadratic time within one instruction, and SQLite checks its clock only between instructions. So
// they are replaced, and refuse long arguments.
#include "tools/sql/functions.hpp"
#include <algorithm>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools {
std::string_view text_of(sqlite3_value* value) {
    auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));  // first, since it may convert
    return {bytes ? bytes : "", bytes ? std::size_t(sqlite3_value_bytes(value)) : 0};
}
namespace {
bool any_null(int n, sqlite3_value** values) {
    return std::any_of(values, values + n, [](auto* v) { return sqlite3_value_type(v) == SQLITE_NULL; });
}
void answer(sqlite3_context* context, std::string_view text) {
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
// Keeps exceptions out of C and nulls out of the functions, and limits the time.
template <auto function> void bounded(sqlite3_context* context, int n, sqlite3_value** values) {
    if (any_null(n, values)) return;
    try {
        auto text = text_of(values[0]), other = text_of(values[1]);
        if (std::uint64_t(text.size()) * other.size() > 10'000'000)
            return sqlite3_result_error(context, "the texts are too long for this function", -1);
        function(context, text, other, n > 2 ? text_of(values[2]) : std::string_view());
    } catch (...) { sqlite3_result_error_nomem(context); }
}

std::size_t characters(std::string_view text) {
    return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}
void instr(sqlite3_context* context, std::string_view text, std::string_view part, std::string_view) {
    auto at = text.find(part);
    sqlite3_result_int64(context, at == text.npos ? 0 : sqlite3_int64(characters(text.substr(0, at))) + 1);
}
void replace(sqlite3_context* context, std::string_view text, std::string_view from, std::string_view to) {
    if (from.empty()) return answer(context, text);
    auto most = std::size_t(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
    std::string all;
    for (;;) {
        auto at = text.find(from);
        all += text.substr(0, at);
        if (at == text.npos) break;
        all += to;
        if (all.size() > most) return sqlite3_result_error_toobig(context);
        text.remove_prefix(at + from.size());
    }
    if (all.size() > most) return sqlite3_result_error_toobig(context);
    answer(context, all);
}
template <bool left, bool right>
void trim(sqlite3_context* context, std::string_view text, std::string_view set, std::string_view) {
    std::vector<std::string_view> unwanted;
    for (std::size_t at = 0; at < set.size();) {
        std::size_t n = 1;
        while (at + n < set.size() && (set[at + n] & 0xC0) == 0x80) ++n;
        unwanted.push_back(set.substr(at, n));
        at += n;
    }
    auto each = [&](auto matches, auto remove) {
        for (auto found = unwanted.begin(); found != unwanted.end() && !text.empty();) {
            found = std::find_if(unwanted.begin(), unwanted.end(), matches);
            if (found != unwanted.end()) remove(found->size());
        }
    };
    if (left) each([&](auto c) { return text.starts_with(c); }, [&](auto n) { text.remove_prefix(n); });
    if (right) each([&](auto c) { return text.ends_with(c); }, [&](auto n) { text.remove_suffix(n); });
    answer(context, text);
}
}

void replace_functions(sqlite3* db) {
    auto define = [&](const char* name, int arguments, auto* function) {
        constexpr int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
        sqlite3_create_function_v2(db, name, arguments, flags, nullptr, function, nullptr, nullptr, nullptr);
    };
    define("instr", 2, &bounded<instr>);
    define("replace", 3, &bounded<replace>);
    define("trim", 2, &bounded<trim<true, true>>);
    define("ltrim", 2, &bounded<trim<true, false>>);
    define("rtrim", 2, &bounded<trim<false, true>>);
    replace_full_text_functions(db);
}
}
