// The address of a PostgreSQL database, as a user writes it, and what of it may be shown: all but passwords.
//
//     PostgresUrl url("postgres://weft:secret@db.example:5432/prod");
//     use(url.name());                          // "postgres://weft@db.example:5432/prod"
//
// What the address does not say comes from where all clients of PostgreSQL take it: PGPASSWORD, a pass file, PGHOST and
// so on. An address that cannot be read is an Error{configuration}, whose sentence has nothing of it. Of any thread.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::core {
/// Of each connection: bounds for statements on the server, in case that this process cannot end them any more. Whoever
/// has other ones says so, in the address or in PGOPTIONS.
struct PostgresSetting {
    const char *name, *value;
};
inline constexpr PostgresSetting postgres_settings[] = {
    {"statement_timeout", "5000"}, {"lock_timeout", "2000"}, {"jit", "off"}};

class PostgresUrl {
public:
    explicit PostgresUrl(const std::string& url);
    const std::string& name() const { return name_; }
    /// What libpq is given at the n-th try to connect, each of which is for one of the hosts: in the order of the
    /// address, and over again, so that one that is silent does not keep anybody from the next. With settings for the
    /// whole connection or, for a pooler that refuses them, without.
    std::vector<std::pair<std::string, std::string>> parameters(std::size_t attempt, bool with_options = true) const;
    bool has_options() const;  // of the user's, beside ours
    std::size_t hosts() const;
    /// What a server or libpq has said: one line of it, without this address's password or another one that is given.
    std::string shown(std::string_view text, const char* password = nullptr) const;

private:
    std::vector<std::pair<std::string, std::string>> given_;
    std::vector<std::string> secrets_;
    std::string name_;
};
}
