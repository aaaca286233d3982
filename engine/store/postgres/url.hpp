// The address of a PostgreSQL database, as a user writes it, and what of it may be shown: all but passwords and
// the values of options.
//
//     PostgresUrl url("postgres://weft:secret@db.example:5432/prod");
//     use(url.name());                          // "postgres://weft@db.example:5432/prod"
//
// What the address does not say libpq takes from where all clients of PostgreSQL take it: PGPASSWORD, a pass file,
// PGHOST and so on. An address that cannot be read is an Error{configuration}, whose message shows no part of it. Of
// any thread.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::storage {
/// Settings of each connection: limits for statements on the server, for the case that this process cannot end them any
/// more. A value in the address or in PGOPTIONS replaces them.
struct PostgresSetting {
    const char *name, *value;
};
inline constexpr PostgresSetting postgres_settings[] = {
    {"statement_timeout", "5000"}, {"lock_timeout", "2000"}, {"jit", "off"}};

class PostgresUrl {
public:
    explicit PostgresUrl(const std::string& url);
    const std::string& name() const { return name_; }
    /// The parameters for the n-th attempt to connect. Each attempt is for one of the hosts, in the order of the
    /// address and then from the first one again, so that a host that does not answer keeps nobody from the next one.
    /// With the settings above or, for a pooler that refuses them, without.
    std::vector<std::pair<std::string, std::string>> parameters(std::size_t attempt, bool with_options = true) const;
    bool has_options() const;  // of the user's, beside ours
    std::size_t hosts() const;
    /// A message of the server or of libpq in one line, without the passwords of this address, of PGPASSWORD and this
    /// one, and without the settings of its options and of PGOPTIONS.
    std::string shown(std::string_view text, const char* password = nullptr) const;

private:
    std::vector<std::pair<std::string, std::string>> given_;
    std::vector<std::string> secrets_;
    std::string name_;
};
}
