// A private certificate authority of a test and its certificates, made by the openssl command in their own folder.
//
//     Authority authority;
//     authority.issue("good", "ca", local);
//     Variable trust("SSL_CERT_FILE", authority.file("ca.pem"));
#pragma once
#include <boost/asio/ssl/context.hpp>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>

namespace weft::testing {
namespace fs = std::filesystem;
namespace ssl = boost::asio::ssl;
inline const std::string local = "subjectAltName=DNS:localhost,IP:127.0.0.1\n";

struct Authority {
    Authority() {
        std::string name = (fs::temp_directory_path() / "weft-tls-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        folder = name;
        make_root("ca");
    }
    ~Authority() { fs::remove_all(folder); }
    void run(const std::string& command) const {
        const auto line = "cd '" + folder.string() + "' && openssl " + command + " >openssl.log 2>&1";
        REQUIRE_MESSAGE(std::system(line.c_str()) == 0, command);
    }
    void make_root(const std::string& name) const {
        run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj '/CN=weft test "
            "authority " +
            name + "' -keyout " + name + ".key -out " + name + ".pem");
    }
    void issue(const std::string& name, const std::string& issuer, const std::string& extensions, int days = 2,
               const std::string& key = "ec -pkeyopt ec_paramgen_curve:prime256v1",
               const std::string& digest = "sha256") const {
        std::ofstream(folder / (name + ".ext")) << extensions;
        run("req -new -newkey " + key + " -nodes -subj /CN=localhost -keyout " + name + ".key -out " + name + ".csr");
        run("x509 -req -in " + name + ".csr -CA " + issuer + ".pem -CAkey " + issuer + ".key -CAcreateserial -days " +
            std::to_string(days) + " -" + digest + " -extfile " + name + ".ext -out " + name + ".pem");
    }
    /// Issues a certificate that is not valid yet: only `openssl ca` sets the first day of a certificate.
    void issue_early(const std::string& name) const {
        std::ofstream(folder / "ca.cnf") << "[ca]\ndefault_ca=a\n[a]\ndatabase=index\nserial=serial\nnew_certs_dir=.\n"
                                            "default_md=sha256\npolicy=p\nemail_in_dn=no\n[p]\ncommonName=supplied\n";
        std::ofstream(folder / "index").flush();
        std::ofstream(folder / "serial") << "77\n";
        std::ofstream(folder / (name + ".ext")) << local;
        run("req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -keyout " + name +
            ".key -out " + name + ".csr");
        run("ca -batch -notext -config ca.cnf -cert ca.pem -keyfile ca.key -startdate 20990101000000Z -enddate "
            "20991231000000Z -extfile " +
            name + ".ext -in " + name + ".csr -out " + name + ".pem");
    }
    ssl::context server(const std::string& name) const {
        ssl::context context(ssl::context::tls_server);
        SSL_CTX_set_security_level(context.native_handle(), 0);  // allows weak certificates
        context.use_certificate_chain_file((folder / (name + ".pem")).string());
        context.use_private_key_file((folder / (name + ".key")).string(), ssl::context::pem);
        return context;
    }
    std::string file(const std::string& name) const { return (folder / name).string(); }
    fs::path folder;
};
struct Variable {  // a variable of the environment, set during a test
    Variable(const char* n, const std::string& value) : name(n) { setenv(n, value.c_str(), 1); }
    ~Variable() { unsetenv(name); }
    const char* name;
};
}
