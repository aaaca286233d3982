// libpq parses the address. The store does not show libpq's message about an address that cannot be parsed: it quotes
// the faulty part, which is the password if a special character in it was not percent-encoded.
#include "engine/store/postgres/url.hpp"
#include "engine/error.hpp"
#include "engine/store/postgres/libpq.hpp"
#include "engine/store/postgres_store.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/percent_encoding.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

namespace weft::storage {
namespace {
constexpr std::size_t shortest_secret = 4;  // hiding a shorter one would spoil every message

std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t at = 0;;) {
        const auto end = list.find(',', at);
        parts.push_back(list.substr(at, end - at));
        if (end == list.npos) return parts;
        at = end + 1;
    }
}
std::string value_of(const std::vector<std::pair<std::string, std::string>>& all, std::string_view key) {
    for (auto& [name, value] : all)
        if (name == key) return value;
    return {};
}
using Parameters = std::vector<std::pair<std::string, std::string>>;
/// Settings may contain keys, such as those of server extensions. So messages quote neither all settings, nor a word of
/// them, nor the value of a setting whose name has a dot, since extensions have such names.
void add_settings(std::vector<std::string>& secrets, const std::string& options) {
    secrets.push_back(options);
    std::istringstream words(options);
    for (std::string word; words >> word;) {
        const auto equals = word.find('=');
        if (equals == word.npos) continue;
        secrets.push_back(word);
        if (word.find('.') < equals) secrets.push_back(word.substr(equals + 1));
    }
}
/// The address without secrets: it leads to the same database. Options appear as "...", which every server refuses,
/// because without the options the address might lead to other tables.
std::string name_of(const Parameters& given, const std::set<std::string>& secret) {
    const auto user = value_of(given, "user"), database = value_of(given, "dbname"), port = value_of(given, "port");
    const auto hosts = parts_of(value_of(given, "host")), ports = parts_of(port);
    const bool is_folder = std::ranges::any_of(hosts, [](auto& host) { return host.starts_with("/"); });
    std::string name = "postgres://" + (user.empty() ? "" : percent_encoded(user) + "@");
    for (std::size_t i = 0; i < hosts.size() && !is_folder; ++i) {
        const auto& own = ports.size() > i ? ports[i] : ports.back();
        const bool is_ipv6 = hosts[i].find(':') != std::string::npos;
        name += (i > 0 ? "," : "") + (is_ipv6 ? "[" + hosts[i] + "]" : hosts[i]) + (own.empty() ? "" : ":" + own);
    }
    if (!database.empty()) name += "/" + percent_encoded(database);
    char before = '?';
    for (auto& [key, value] : given) {
        const bool is_shown_above = key == "user" || key == "dbname" ||
                                    (!is_folder && (key == "host" || key == "port"));
        if (!is_shown_above && !secret.contains(key))
            name += std::exchange(before, '&') + key + "=" + (key == "options" ? "..." : percent_encoded(value, "/,:"));
    }
    return excerpt(name, 2000);
}
bool is_number(const std::string& text) { return std::ranges::all_of(text, is_digit); }
/// An @ or a / that is not percent-encoded would turn a part of the password into a shown host, port or database name.
/// libpq ends user and password at the first of these characters, even behind a question mark.
bool may_show_password(std::string_view url) {
    url.remove_prefix(url.find("//") + 2);
    const auto end = url.find_first_of("@/");
    if (end == url.npos) return false;
    url.remove_prefix(end + 1);
    return url.substr(0, url.find('?')).find('@') != url.npos;
}
}
PostgresUrl::PostgresUrl(const std::string& url) {
    const auto free = [](PQconninfoOption* all) { PQconninfoFree(all); };
    const std::unique_ptr<PQconninfoOption, decltype(free)> options(
        is_postgres_url(url) && url.find('\0') == url.npos ? PQconninfoParse(url.c_str(), nullptr) : nullptr, free);
    const auto refuse = [] {
        throw Error(Code::configuration,
                    "the address of the store is not one of PostgreSQL: write postgres://USER@HOST:PORT/DATABASE, "
                    "and codes for special characters in a password, such as %40 for @");
    };
    if (!options || may_show_password(url)) refuse();
    std::set<std::string> secret;
    for (auto* option = options.get(); option->keyword; ++option) {
        if (!option->val) continue;
        given_.emplace_back(option->keyword, option->val);
        if (given_.back().first == "options") add_settings(secrets_, option->val);
        if (option->dispchar[0] != '*') continue;
        secret.insert(option->keyword);
        secrets_.emplace_back(option->val);
    }
    if (const char* password = std::getenv("PGPASSWORD")) secrets_.emplace_back(password);
    if (const char* options = std::getenv("PGOPTIONS")) add_settings(secrets_, options);
    for (auto& port : parts_of(value_of(given_, "port")))
        if (!is_number(port)) refuse();  // the text may be a password without a host
    name_ = name_of(given_, secret);
}
std::size_t PostgresUrl::hosts() const {
    return std::max(parts_of(value_of(given_, "host")).size(), parts_of(value_of(given_, "hostaddr")).size());
}
bool PostgresUrl::has_options() const { return !value_of(given_, "options").empty() || std::getenv("PGOPTIONS"); }
std::vector<std::pair<std::string, std::string>> PostgresUrl::parameters(std::size_t attempt, bool with_options) const {
    std::string options;  // later options replace earlier ones
    for (auto& [name, value] : postgres_settings) options += std::string("-c ") + name + "=" + value + " ";
    options += "-c default_transaction_isolation=read\\ committed ";
    // A machine that vanishes within a transaction keeps its locks until the server notices that.
    options += "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3";
    if (const char* more = std::getenv("PGOPTIONS")) options += std::string(" ") + more;
    std::vector<std::pair<std::string, std::string>> all;
    const auto usually = [&](const char* key, const char* value, const char* variable = nullptr) {
        if (value_of(given_, key).empty() && !(variable && std::getenv(variable))) all.emplace_back(key, value);
    };
    usually("fallback_application_name", "weft");
    usually("target_session_attrs", "read-write", "PGTARGETSESSIONATTRS");
    usually("keepalives_idle", "30");
    usually("keepalives_interval", "10");
    usually("keepalives_count", "3");
    usually("tcp_user_timeout", "15000");
    for (auto& [key, value] : given_) {
        if (key == "client_encoding") continue;
        if (key == "options") {
            options += " " + value;
            continue;
        }
        const bool is_list = key == "host" || key == "hostaddr" || key == "port";
        const auto parts = is_list ? parts_of(value) : std::vector{value};
        all.emplace_back(key, parts[attempt % parts.size()]);
    }
    all.emplace_back("client_encoding", "UTF8");
    if (with_options) all.emplace_back("options", options);
    return all;
}
std::string PostgresUrl::shown(std::string_view text, const char* password) const {
    std::string all(text);
    auto secrets = secrets_;
    if (password) secrets.emplace_back(password);
    // The longest first: a shorter secret may be part of a longer one, and would leave the rest visible.
    std::ranges::sort(secrets, std::ranges::greater(), &std::string::size);
    for (auto& secret : secrets) {
        if (secret.size() < shortest_secret) continue;
        for (auto at = all.find(secret); at != all.npos; at = all.find(secret, at + 3))
            all.replace(at, secret.size(), "...");
    }
    for (auto at = all.find("\n\t"); at != all.npos; at = all.find("\n\t", at)) all.replace(at, 2, "; ");
    return excerpt(all, 400);
}
}
