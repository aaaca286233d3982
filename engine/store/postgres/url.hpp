// The address of a PostgreSQL database as the user wrote it, and its showable part, without passwords and the values of
// options.
//
//     PostgresUrl url("postgres://weft:secret@db.example:5432/prod");
//     use(url.name());                          // "postgres://weft@db.example:5432/prod"
//
// libpq takes missing parts from the usual places of PostgreSQL's clients: PGPASSWORD, a pass file, PGHOST and so on.
// An address that cannot be parsed is an Error{configuration}, whose message shows no part of it. Any thread may use
// an address.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::storage {
/// Settings of each connection: limits for statements on the server, in case this process cannot end them. A value in
/// the address or in PGOPTIONS replaces them.
struct PostgresSetting {
    const char *name, *value;
};
inline constexpr PostgresSetting postgres_settings[] = {
    {"statement_timeout", "5000"}, {"lock_timeout", "2000"}, {"jit", "off"}};

class PostgresUrl {
public:
    explicit PostgresUrl(const std::string& url);
    const std::string& name() const { return name_; }
    /// The parameters for attempt n to connect. The attempts go through the hosts of the address in order, and then
    /// start again with the first host, so that a silent host does not block the next. Without options the settings
    /// above are left out, for a pooler that refuses them.
    std::vector<std::pair<std::string, std::string>> parameters(std::size_t attempt, bool with_options = true) const;
    bool has_options() const;  // whether the user gave options
    std::size_t hosts() const;
    /// A message of the server or of libpq in one line, without passwords (of this address, PGPASSWORD, and `password`)
    /// and without the settings in options and PGOPTIONS.
    std::string shown(std::string_view text, const char* password = nullptr) const;

private:
    std::vector<std::pair<std::string, std::string>> given_;
    std::vector<std::string> secrets_;
    std::string name_;
};
}
