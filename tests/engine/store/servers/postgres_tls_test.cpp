// The connection to a database whose address demands a checked certificate (sslmode=verify-full).
#include "engine/store/postgres_store.hpp"
#include "tests/engine/store/stores.hpp"
#include "tests/support/authority.hpp"
#include "tests/support/postgres_server.hpp"
#include <atomic>
#include <doctest/doctest.h>
#include <future>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

using namespace stores;
using weft::testing::Authority;

namespace {
int free_port() {
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    ::close(probe);
    return ntohs(address.sin_port);
}
struct TlsServer {
    TlsServer() {
        authority.make_root("stranger");
        authority.issue("right", "ca", weft::testing::local);
        authority.issue("elsewhere", "ca", "subjectAltName=DNS:elsewhere.example\n");
        authority.issue("unknown", "stranger", weft::testing::local);
        authority.issue("old", "ca", weft::testing::local, -1);
    }
    /// Restarts the server with this certificate; empty: without TLS.
    void show(const std::string& certificate) {
        std::vector<std::string> settings{"-c", "listen_addresses=127.0.0.1"};
        if (!certificate.empty()) {
            struct stat owner {};
            REQUIRE(::stat(server.folder().c_str(), &owner) == 0);
            for (const auto* ending : {".pem", ".key"}) {  // the server reads only its own files
                const auto copy = server.folder() + "/shown" + ending;
                std::filesystem::copy_file(authority.file(certificate + ending), copy,
                                           std::filesystem::copy_options::overwrite_existing);
                REQUIRE(::chown(copy.c_str(), owner.st_uid, owner.st_gid) == 0);
                REQUIRE(::chmod(copy.c_str(), 0600) == 0);
            }
            settings.insert(settings.end(), {"-c", "ssl=on", "-c", "ssl_cert_file=" + server.folder() + "/shown.pem",
                                             "-c", "ssl_key_file=" + server.folder() + "/shown.key"});
        }
        server.restart_with(settings, port);
    }
    std::string url(const std::string& trusted = "ca.pem") const {
        return "postgres://weft@localhost:" + std::to_string(port) +
               "/postgres?sslmode=verify-full&sslrootcert=" + authority.file(trusted);
    }
    PostgresServer server;
    Authority authority;
    int port = free_port();
};
}
TEST_CASE("a server is refused when the address demands a checked certificate and the server has a wrong one or none") {
    TlsServer tls;
    const auto refused = [&](const std::string& trusted = "ca.pem") {
        return refusal([&] { PostgresStore store(tls.url(trusted)); }).sentence;
    };
    const auto contains = [](const std::string& text, const char* part) { return text.find(part) != text.npos; };

    tls.show("elsewhere");
    CHECK(contains(refused(), "does not match host name \"localhost\""));
    for (const auto* name : {"unknown", "old"}) {
        tls.show(name);
        CHECK(contains(refused(), "certificate verify failed"));
    }
    tls.show("");
    CHECK(contains(refused(), "server does not support SSL"));
    tls.show("right");
    CHECK(contains(refused("missing.pem"), "missing.pem\" does not exist"));
    PostgresStore store(tls.url());
    create(store, run_of("r1"));
    CHECK(tls.server.value_of("select bool_and(ssl) from pg_stat_ssl natural join pg_stat_activity where "
                              "application_name = 'weft'") == "t");
}
TEST_CASE("a call goes to no other server that takes the place of the right one, and is stored when that is back") {
    TlsServer tls;
    tls.show("right");
    std::promise<std::string> noted;
    std::atomic<bool> has_noted = false;
    const auto note = [&](const StoreNote& told) {
        if (!has_noted.exchange(true)) noted.set_value(told.text);
    };
    PostgresStore store(tls.url(), {.note = note});
    create(store, run_of("r1"));
    const auto batch = batch_of(store, "r1", {"a"});

    tls.show("unknown");
    auto stored = std::async(std::launch::async, [&] { return append(store, batch); });

    CHECK(noted.get_future().get().find("certificate verify failed") != std::string::npos);
    CHECK(tls.server.value_of("select count(*) from weft.ticks") == "1");
    CHECK(tls.server.value_of("select count(*) from pg_stat_activity where application_name = 'weft'") == "0");
    tls.show("right");
    CHECK(stored.get() == AppendReply::stored);
}
