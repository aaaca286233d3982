// A small reader of SQL, since SQLite reports a forbidden statement by its effect: DROP as a DELETE, or a missing table
// in place of the statement.
#include "tools/sql/change.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include <array>
#include <functional>
#include <utility>

namespace weft::tools {
namespace {
struct ChangeVerb {
    std::string_view word, does;
    bool names_kind = false;  // DROP TABLE, DROP VIEW ...
};
constexpr std::string_view changes = "changes the database", transacts = "is for changes of the database";
constexpr std::array verbs{ChangeVerb{"insert", changes},
                           ChangeVerb{"replace", changes},
                           ChangeVerb{"update", changes},
                           ChangeVerb{"delete", changes},
                           ChangeVerb{"merge", changes},
                           ChangeVerb{"truncate", changes, true},
                           ChangeVerb{"create", changes, true},
                           ChangeVerb{"drop", changes, true},
                           ChangeVerb{"alter", changes, true},
                           ChangeVerb{"vacuum", "rewrites the database"},
                           ChangeVerb{"reindex", "rewrites the indexes"},
                           ChangeVerb{"analyze", "writes statistics into the database"},
                           ChangeVerb{"attach", "opens another database"},
                           ChangeVerb{"detach", "closes a database"},
                           ChangeVerb{"begin", transacts},
                           ChangeVerb{"commit", transacts},
                           ChangeVerb{"end", transacts},
                           ChangeVerb{"rollback", transacts},
                           ChangeVerb{"savepoint", transacts},
                           ChangeVerb{"release", transacts}};
constexpr std::array kinds{"table", "view", "index", "trigger", "database", "schema"};

bool in_word(char c) { return is_word_part(c) || (c & 0x80) != 0; }

/// Words in small letters, "(", ")" and ";"; quoted text, a number, or another character is a "?". No blanks, no
/// comments. Empty at the end.
class Tokens {
public:
    explicit Tokens(std::string_view sql) : rest_(sql) {
        if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // a byte order mark
    }
    std::string next() {
        skip_blanks();
        if (rest_.empty()) return {};
        const char c = rest_.front();
        if (in_word(c)) {
            std::size_t end = 1;
            while (end < rest_.size() && in_word(rest_[end])) ++end;
            return lower(take(end));
        }
        if (c == '\'' || c == '"' || c == '`' || c == '[') {  // a doubled quote reads as two strings: no harm
            take(past(c == '[' ? "]" : std::string_view(&c, 1), 1));
            return "?";
        }
        take(1);
        return c == '(' || c == ')' || c == ';' ? std::string(1, c) : "?";
    }

private:
    void skip_blanks() {
        for (auto before = rest_.size() + 1; rest_.size() < before;) {
            before = rest_.size();
            rest_ = trimmed_front(rest_, " \t\r\n\f");
            if (rest_.starts_with("--")) take(past("\n", 2));
            else if (rest_.starts_with("/*")) take(past("*/", 2));
        }
    }
    std::size_t past(std::string_view end, std::size_t from) const {
        const auto at = rest_.find(end, from);
        return at == rest_.npos ? rest_.size() : at + end.size();
    }
    std::string_view take(std::size_t n) {
        const auto part = rest_.substr(0, n);
        rest_.remove_prefix(n);
        return part;
    }
    std::string_view rest_;
};

std::string capitals(std::string text) {
    for (auto& c : text)
        if (is_lower(c)) c = static_cast<char>(c - 'a' + 'A');
    return text;
}
/// The verb with its object: CREATE UNIQUE INDEX. Only the verb if the object is not at its place.
std::string name_of(const ChangeVerb& verb, Tokens after) {
    std::string name(verb.word);
    for (int i = 0; verb.names_kind && i < 3; ++i) {
        const auto word = after.next();
        if (word.empty() || !in_word(word[0])) break;
        name += ' ' + word;
        for (const std::string_view kind : kinds)
            if (word == kind) return capitals(name);
    }
    return capitals(std::string(verb.word));
}
/// The verb of the statement, behind EXPLAIN and the queries of WITH. Empty at the end of the SQL.
std::string verb_of(Tokens& tokens, std::string word) {
    while (word == "explain" || word == "query" || word == "plan" || word == ";") word = tokens.next();
    if (word != "with") return word;
    int depth = 0;
    for (std::string last; !word.empty() && word != ";"; last = std::exchange(word, tokens.next())) {
        if (word == "(") ++depth;
        else if (word == ")") --depth;
        else if (depth == 0 && last == ")" && in_word(word[0]) && word != "as") return word;
    }
    return word;
}
/// Visits the verbs of changing statements, with their objects, until `enough` returns true.
void visit_changes(std::string_view sql,
                   const std::function<bool(const ChangeVerb&, const std::string& name)>& enough) {
    Tokens tokens(sql);
    for (auto word = tokens.next(); !word.empty(); word = tokens.next()) {
        word = verb_of(tokens, std::move(word));
        for (const auto& verb : verbs)
            if (word == verb.word && enough(verb, name_of(verb, tokens))) return;
        while (!word.empty() && word != ";") word = tokens.next();
        if (word.empty()) break;
    }
}
/// The statements that a writable database allows. Excluded on purpose: changes with later effects (triggers), objects
/// elsewhere (temporary and virtual tables), and ALTER, which needs another approach.
bool may_write(const ChangeVerb& verb, const std::string& name) {
    for (const auto* plain : {"insert", "replace", "update", "delete"})
        if (verb.word == plain) return true;
    if (verb.word != "create" && verb.word != "drop") return false;
    for (const auto* kind : {" TABLE", " VIEW", " INDEX", " UNIQUE INDEX"})
        if (name == capitals(std::string(verb.word)) + kind) return true;
    return false;
}
}

std::string why_it_changes(std::string_view sql) {
    std::string why;
    visit_changes(sql, [&why](const ChangeVerb& verb, const std::string& name) {
        why = name + ' ' + std::string(verb.does) + "; this tool only reads: use one SELECT, to see what is there";
        return true;
    });
    return why;
}
bool changes_database(std::string_view sql) {
    bool changes = false;
    visit_changes(sql, [&changes](const ChangeVerb& verb, const std::string& name) {
        return changes = changes || may_write(verb, name);
    });
    return changes && why_never(sql).empty();
}
std::string why_never(std::string_view sql) {
    std::string why;
    visit_changes(sql, [&why](const ChangeVerb& verb, const std::string& name) {
        if (may_write(verb, name)) return false;
        why = name + ' ' + std::string(verb.does) +
              ", and this tool does not do that: use SELECT, INSERT, UPDATE, DELETE, or CREATE or DROP of a table, a "
              "view or an index";
        return true;
    });
    return why;
}
std::string module_of(std::string_view sql) {
    Tokens tokens(sql);
    if (tokens.next() != "create" || tokens.next() != "virtual") return {};
    for (auto word = tokens.next(), before = std::string(); !word.empty(); before = std::exchange(word, tokens.next()))
        if (before == "using") return word;
    return {};
}
}
