// FTS5's highlight() and snippet() take quadratic time within one instruction, during which SQLite does not check its
// clock: highlight() copies its text at each hit, snippet() counts all hits again for each of them. The functions here
// give the same results in linear time. FTS4's snippet() is another function, which is linear.
#include "tools/sql/functions.hpp"
#include <algorithm>
#include <map>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools {
namespace {
/// A SQLite code, thrown out of a function.
struct Failed {
    int code;
};
void check(int code) {
    if (code != SQLITE_OK) throw Failed{code};
}
struct TextToken {
    int begin, end;  // offsets in bytes
};
struct Hit {
    int phrase, begin, end;  // positions in tokens
};
using Hits = std::vector<Hit>;

struct Column {
    std::string_view text;  // null data: NULL
    std::vector<TextToken> tokens;
    int count() const { return int(tokens.size()); }
};
/// The current row of a query.
struct FoundRow {
    const Fts5ExtensionApi& api;
    Fts5Context* fts;

    Column column(int number) const {
        const char* text = nullptr;
        int bytes = 0;
        check(api.xColumnText(fts, number, &text, &bytes));
        Column column;
        if (!text) return column;
        column.text = {text, std::size_t(bytes)};
        const auto add = [](void* tokens, int flags, const char*, int, int begin, int end) -> int {
            if (flags & FTS5_TOKEN_COLOCATED) return SQLITE_OK;
            try {
                static_cast<std::vector<TextToken>*>(tokens)->push_back({begin, end});
            } catch (...) { return SQLITE_NOMEM; }
            return SQLITE_OK;
        };
        check(api.xTokenize(fts, column.text.data(), int(column.text.size()), &column.tokens, add));
        return column;
    }
    /// The hits by column, in the order of their first tokens.
    std::map<int, Hits> hits() const {
        int count = 0;
        check(api.xInstCount(fts, &count));
        std::map<int, Hits> all;
        for (int i = 0; i < count; ++i) {
            int phrase = 0, column = 0, at = 0;
            check(api.xInst(fts, i, &phrase, &column, &at));
            all[column].push_back({phrase, at, at + api.xPhraseSize(fts, phrase)});
        }
        return all;
    }
    bool has(int column) const { return column >= 0 && column < api.xColumnCount(fts); }
};

/// A text that grows up to SQLite's limit.
class LimitedText {
public:
    explicit LimitedText(sqlite3_context* context)
        : context_(context),
          most_(std::size_t(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1))) {}
    void add(std::string_view text) {
        if (text.size() > most_ - all_.size()) throw Failed{SQLITE_TOOBIG};
        all_ += text;
    }
    void give() { sqlite3_result_text64(context_, all_.data(), all_.size(), SQLITE_TRANSIENT, SQLITE_UTF8); }

private:
    sqlite3_context* context_;
    std::size_t most_;
    std::string all_;
};
struct Marks {
    std::string_view open, close;
};
/// Adds the bytes with marks around the hits in the tokens from `begin` to `behind`. Overlapping hits share a pair of
/// marks.
void add_marked(LimitedText& answer, const Column& column, const Hits& hits, Marks marks, TextToken bytes, int begin,
                int behind) {
    int at = bytes.begin;
    for (auto hit = hits.begin(); hit != hits.end();) {
        const int first = std::max(hit->begin, begin);
        int last = hit->end;
        for (++hit; hit != hits.end() && hit->begin < last; ++hit) last = std::max(last, hit->end);
        last = std::min(last, behind);
        if (first >= last) continue;
        const int opened = column.tokens[std::size_t(first)].begin, closed = column.tokens[std::size_t(last) - 1].end;
        if (opened < at || closed < opened) continue;  // the tokenizer has gone back
        answer.add(column.text.substr(std::size_t(at), std::size_t(opened - at)));
        answer.add(marks.open);
        answer.add(column.text.substr(std::size_t(opened), std::size_t(closed - opened)));
        answer.add(marks.close);
        at = closed;
    }
    if (at < bytes.end) answer.add(column.text.substr(std::size_t(at), std::size_t(bytes.end - at)));
}

/// A window over the tokens of a column that only moves forward.
class Window {
public:
    Window(const Hits& hits, int phrases, int width) : hits_(hits), seen_(std::size_t(phrases)), width_(width) {}
    /// 1000 for each phrase that begins in the window, 1 for each further hit.
    int score(int begin) {
        for (; behind_ < hits_.size() && hits_[behind_].begin - begin < width_; ++behind_)
            if (seen_[std::size_t(hits_[behind_].phrase)]++ == 0) ++different_;
        for (; first_ < behind_ && hits_[first_].begin < begin; ++first_)
            if (--seen_[std::size_t(hits_[first_].phrase)] == 0) --different_;
        return 1000 * different_ + int(behind_ - first_) - different_;
    }
    /// The beginning that centers the hits in the window.
    int centred(int tokens) const {
        const int begin = hits_[first_].begin, used = hits_[behind_ - 1].end - begin;
        return std::max(0, std::min(begin - (width_ - used) / 2, tokens - width_));
    }

private:
    const Hits& hits_;
    std::vector<int> seen_;
    const int width_;
    std::size_t first_ = 0, behind_ = 0;
    int different_ = 0;
};
/// The tokens at the beginning of sentences.
std::vector<int> sentences(const Column& column) {
    constexpr std::string_view blanks = " \t\n\r";
    std::vector<int> all;
    char last = 0, last_but_blanks = 0;  // bytes before the token
    std::size_t at = 0;
    for (int i = 0; i < column.count(); ++i) {
        for (const auto begin = std::size_t(column.tokens[std::size_t(i)].begin);
             at < std::min(begin, column.text.size()); ++at) {
            last = column.text[at];
            if (blanks.find(last) == blanks.npos) last_but_blanks = last;
        }
        const bool ends = last != last_but_blanks && (last_but_blanks == '.' || last_but_blanks == ':');
        if (i == 0 || ends) all.push_back(i);
    }
    return all;
}
struct Fragment {
    int score = 0, begin = 0;
    void offer(int score_of_other, int begin_of_other) {
        if (score_of_other > score) *this = {score_of_other, begin_of_other};
    }
};
/// The fragment around the most hits, or from the beginning of their sentence.
Fragment best_fragment(const Column& column, const Hits& hits, int phrases, int width) {
    Fragment best;
    Window around(hits, phrases, width), from(hits, phrases, width);
    const auto begins = column.count() > width ? sentences(column) : std::vector<int>();
    auto next = begins.begin();
    for (const auto& hit : hits) {
        const int score = around.score(hit.begin);
        best.offer(score, around.centred(column.count()));
        while (next != begins.end() && *next <= hit.begin) ++next;
        if (next == begins.begin() || *(next - 1) >= hit.begin) continue;
        const int begin = *(next - 1);
        best.offer(from.score(begin) + (begin == 0 ? 120 : 100), begin);
    }
    return best;
}
/// Drops hits behind the end of a text that has changed since it was indexed.
void drop_lost(Hits& hits, const Column& column) {
    std::erase_if(hits, [&](const Hit& hit) { return hit.begin < 0 || hit.begin >= column.count(); });
    for (auto& hit : hits) hit.end = std::min(hit.end, column.count());
}

void highlight(const FoundRow& row, sqlite3_context* context, sqlite3_value** values) {
    const int number = sqlite3_value_int(values[0]);
    if (!row.has(number)) return;
    const auto column = row.column(number);
    if (!column.text.data()) return;
    auto hits = row.hits()[number];
    drop_lost(hits, column);
    LimitedText answer(context);
    add_marked(answer, column, hits, {text_of(values[1]), text_of(values[2])}, {0, int(column.text.size())}, 0,
               column.count());
    answer.give();
}
void snippet(const FoundRow& row, sqlite3_context* context, sqlite3_value** values) {
    const int wanted = sqlite3_value_int(values[0]), width = std::max(1, sqlite3_value_int(values[4]));
    if (wanted >= 0 && !row.has(wanted)) throw Failed{SQLITE_RANGE};
    const int phrases = row.api.xPhraseCount(row.fts);
    auto hits = row.hits();
    int best_column = std::max(wanted, 0);
    Fragment best;
    for (auto& [number, own] : hits) {
        if (wanted >= 0 && number != wanted) continue;
        const auto column = row.column(number);
        drop_lost(own, column);
        const auto found = best_fragment(column, own, phrases, width);
        if (found.score > best.score) best = found, best_column = number;
    }
    const auto column = row.column(best_column);
    if (!column.text.data()) return;
    const auto tokens = column.count();
    const bool to_end = width >= tokens - best.begin;
    const int behind = to_end ? tokens : best.begin + width;
    const int from = best.begin > 0 ? column.tokens[std::size_t(best.begin)].begin : 0;
    const int to = to_end ? int(column.text.size()) : column.tokens[std::size_t(behind) - 1].end;
    const auto ellipsis = text_of(values[3]);
    LimitedText answer(context);
    if (best.begin > 0) answer.add(ellipsis);
    add_marked(answer, column, hits[best_column], {text_of(values[1]), text_of(values[2])}, {from, to}, best.begin,
               behind);
    if (!to_end) answer.add(ellipsis);
    answer.give();
}
/// Keeps exceptions out of C.
template <auto function, int arguments>
void guarded(const Fts5ExtensionApi* api, Fts5Context* fts, sqlite3_context* context, int n, sqlite3_value** values) {
    if (n != arguments) {
        constexpr auto wrong = arguments == 3 ? "highlight() takes a table, a column and two marks"
                                              : "snippet() of FTS5 takes a table, a column, two marks, a text for what "
                                                "is left out, and a number of words";
        return sqlite3_result_error(context, wrong, -1);
    }
    try {
        function(FoundRow{*api, fts}, context, values);
    } catch (const Failed& failed) { sqlite3_result_error_code(context, failed.code); } catch (...) {
        sqlite3_result_error_nomem(context);
    }
}
}

void replace_full_text_functions(sqlite3* db) {
    fts5_api* api = nullptr;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK &&
        sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr) == SQLITE_OK)
        sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (!api) return;  // a SQLite without FTS5
    api->xCreateFunction(api, "highlight", nullptr, &guarded<highlight, 3>, nullptr);
    api->xCreateFunction(api, "snippet", nullptr, &guarded<snippet, 5>, nullptr);
}
}
