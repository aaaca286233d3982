// Addresses of PostgreSQL and the values of its statements, without a server.
#include "engine/error.hpp"
#include "engine/store/postgres/url.hpp"
#include "engine/store/postgres/values.hpp"
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
#include <optional>

using namespace weft;
using storage::PostgresUrl;

namespace {
struct Variable {  // a variable of the environment, set during a test
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        ::setenv(name, value, 1);
    }
    ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
    const char* name_;
    std::optional<std::string> old_;
};
std::string refused_address(const std::string& url) {
    try {
        PostgresUrl parsed(url);
    } catch (const Error& e) { return e.what(); }
    return "nothing was refused";
}
}
TEST_CASE("an address is shown without its password, however it is written") {
    const std::pair<const char*, const char*> shown[]{
        {"postgres://weft:sk-canary@db.example:5432/prod", "postgres://weft@db.example:5432/prod"},
        {"postgresql://db.example", "postgres://db.example"},
        {"postgres://weft@/prod?password=sk-canary&host=/run/pg", "postgres://weft@/prod?host=/run/pg"},
        {"postgres://weft@a:1,b:2/prod?sslpassword=sk-canary", "postgres://weft@a:1,b:2/prod"},
        {"postgres://weft:sk?canary@a/b?application_name=x@y", "postgres://weft@a/b?application_name=x%40y"},
        {"postgres:///prod?host=/run/pg@1", "postgres:///prod?host=/run/pg%401"},
        {"postgres://weft:weft@a/b", "postgres://weft@a/b"},  // else the gap would show the password
        {"postgres://weft@/prod?host=/run/pg&port=55432", "postgres://weft@/prod?host=/run/pg&port=55432"},
        {"postgres://a/b?sslmode=verify-full&sslrootcert=/ca.pem&password=sk-canary",
         "postgres://a/b?sslmode=verify-full&sslrootcert=/ca.pem"},
        {"postgres://weft@[::1]:5432/prod", "postgres://weft@[::1]:5432/prod"},
        {"postgres://?service=prod", "postgres://?service=prod"},
        {"postgres://a/b%26c?options=-c%20geqo%3Doff", "postgres://a/b%26c?options=..."},
        {"postgres://a/b?options=-c%20app.key%3Dsk-canary&sslmode=require",
         "postgres://a/b?options=...&sslmode=require"}};
    for (auto& [url, name] : shown) CHECK(PostgresUrl(url).name() == name);
}
TEST_CASE("an unreadable address is refused without quoting it") {
    for (auto* url :
         {"postgres://weft:sk-canary%zz@a/b", "postgres://weft:sk@canary@a/b?no_such=1",
          "postgres://weft:sk@canary@a/b", "postgres://weft:a?b@sk-canary@a/b", "postgres://weft:sk/canary@a/b",
          "postgres://weft@a/b@sk-canary", "postgres://a/b?sk-canary", "postgres://weft:sk-canary/b", "weft.db"})
        CHECK(refused_address(url).find(
                  "the address of the store is not one of PostgreSQL: write postgres://USER@HOST") == 0);
}
TEST_CASE("a server's message reveals no password, whatever the source of the password") {
    Variable password("PGPASSWORD", "sk-canary-2");
    PostgresUrl url("postgres://weft:sk-canary-1@a/b");

    CHECK(url.shown("FATAL:  sk-canary-1 and\nsk-canary-2\tand \x1b[31msk-canary-3", "sk-canary-3") ==
          "FATAL: ... and ... and [31m...");
}
TEST_CASE("a server's message reveals no settings of an address or of PGOPTIONS, which may be keys") {
    Variable options("PGOPTIONS", "-c app.other=sk-canary-2");
    PostgresUrl url("postgres://a/b?options=-c%20app.key%3Dsk-canary-1%20-c%20search_path%3Dpublic");

    CHECK(url.shown("no setting app.key=sk-canary-1, nor \"sk-canary-2\" in -c app.other=sk-canary-2, of public") ==
          "no setting ..., nor \"...\" in ..., of public");
}
TEST_CASE("a server's message reveals no rest of a secret that contains another secret") {
    Variable password("PGPASSWORD", "abcdefgh");
    PostgresUrl url("postgres://weft:abcd@a/b");

    CHECK(url.shown("no abcdefghijkl, abcdefgh, abcd", "abcdefghijkl") == "no ..., ..., ...");
}
TEST_CASE("each try to connect is for the next host of an address, with its port") {
    PostgresUrl url("postgres://weft@a:1,b:2,c:3/prod?options=-c%20geqo%3Doff");
    for (std::size_t attempt = 0; attempt < 6; ++attempt) {
        std::map<std::string, std::string> given;
        for (auto& [key, value] : url.parameters(attempt)) given[key] = value;
        CHECK(given["host"] == std::string(1, "abc"[attempt % 3]));
        CHECK(given["port"] == std::string(1, "123"[attempt % 3]));
        CHECK(given["target_session_attrs"] == "read-write");
        CHECK(given["options"].find("-c statement_timeout=5000") == 0);
        CHECK(given["options"].find(" -c geqo=off") != std::string::npos);
    }
    CHECK(url.hosts() == 3);
}
TEST_CASE("any bytes become a text of the database and are restored, and a JSON text stays unchanged") {
    const std::string all_bytes = [] {
        std::string bytes;
        for (int byte = 0; byte < 256; ++byte) bytes += char(byte);
        return bytes;
    }();
    const std::string json = "{\"a\":\"\\u0000 \xc3\xa9\"}";
    for (auto& bytes : {std::string(), json, all_bytes, std::string("\x01"), std::string("\x01\x30\x30"),
                        std::string("\xe2\x82"), std::string("a\0", 2)}) {
        const auto text = storage::to_postgres_text(bytes);
        CHECK(text.find('\0') == text.npos);
        CHECK(storage::from_postgres_text(text) == bytes);
    }
    CHECK(storage::to_postgres_text(json) == json);
    CHECK(storage::to_postgres_text("\xff") == "\x01"
                                               "ff");
    CHECK(storage::from_postgres_text("\x01\x30") == "\x01\x30");  // invalid text of the database
}
