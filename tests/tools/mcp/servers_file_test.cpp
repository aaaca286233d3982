// The file that lists MCP servers, and arguments that name one.
#include "engine/error.hpp"
#include "tools/mcp/client/elicitation.hpp"
#include "tools/mcp/client/redactor.hpp"
#include "tools/mcp/result_text.hpp"
#include "tools/mcp/servers.hpp"
#include "tools/mcp/servers_file.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::tools;

namespace {
std::optional<std::string> environment(const std::string& name) {
    if (name == "TOKEN") return "s3cret-value";
    if (name == "HOME") return "/users/me";
    if (name == "EMPTY") return "";
    if (name == "NOTES") return "/users/me/notes";
    if (name == "SITE") return "https://h.org/wiki";
    if (name == "DATABASE") return "pg://u:pw@h/d";
    if (name == "KEY_OF_X") return "/base64/key";
    return {};
}
mcp::ServersFile read(const std::string& text) { return mcp::read_servers(text, environment, "f.json"); }
/// Returns a file with one server with these members.
mcp::ServerEntry one(const std::string& members) {
    return read(R"({"mcpServers": {"s": {)" + members + "}}}").servers.at(0);
}
std::string mistake(const std::string& members) {
    try {
        one(members);
    } catch (const Error& error) {
        CHECK(error.code() == Code::configuration);
        return error.what();
    }
    return {};
}
}

TEST_CASE("programs and addresses are read in the forms of other clients") {
    const auto file = read(R"({"mcpServers": {
        "files": {"command": "npx", "args": ["-y", "server", "${HOME}/n"], "env": {"K": "${TOKEN}", "D": "${NO:-x y}"}},
        "web": {"type": "streamable-http", "url": "https://h.org/mcp", "trusted": true,
                "headers": {"Authorization": "Bearer ${env:TOKEN}"}},
        "off": {"command": "x", "disabled": true}}, "other": 1})");
    REQUIRE(file.servers.size() == 2);
    const auto& files = file.servers[0];
    CHECK(files.name == "files");
    CHECK(files.is_program());
    CHECK(files.args == std::vector<std::string>{"-y", "server", "/users/me/n"});
    CHECK(files.env.at("K") == "s3cret-value");
    CHECK(files.env.at("D") == "x y");
    CHECK(files.shown == "npx -y server ${HOME}/n");
    CHECK_FALSE(files.trusted);
    const auto& web = file.servers[1];
    CHECK(web.url == "https://h.org/mcp");
    CHECK(web.headers.at(0).value == "Bearer s3cret-value");
    CHECK(web.trusted);
    CHECK(file.notes.empty());
}
TEST_CASE("a server's description hides no argument, and no value of an address") {
    CHECK(one(R"("command": "npx", "args": ["a b", "", "--x=\"y\"", "z\u200b", "n\nm", "${HOME}/n"])").shown ==
          R"(npx "a b" "" "--x=\"y\"" "z\u200b" "n\nm" ${HOME}/n)");
    CHECK(one(R"("url": "https://h.org/mcp?key=s3cret&n=${EMPTY:-}&s3cret")").shown ==
          "https://h.org/mcp?key=...&n=...&...");
    CHECK(mcp::read_server("a=x 'b c' d").shown == R"(x "b c" d)");
    CHECK_THROWS_AS(mcp::read_server("a=ftp://h.org/mcp"), Error);
    CHECK(mcp::read_server("a=https://h.org/mcp?key=s3cret").shown == "https://h.org/mcp?key=...");
}
TEST_CASE("variables have defaults, also when they are empty, and must be set without a default") {
    CHECK(one(R"("command": "${EMPTY:-c}")").command == "c");
    CHECK(one(R"("command": "a${EMPTY}b$HOME")").command == "ab$HOME");
    CHECK(one(R"("command": "${NO:-}x")").command == "x");
    CHECK(mistake(R"("command": "x", "args": ["${NOT_THERE}"])") ==
          "f.json: the server \"s\": args needs the variable NOT_THERE, which is not set: set it, or write "
          "${NOT_THERE:-default}");
    CHECK(mistake(R"("command": "${A")").find("without its }") != std::string::npos);
    CHECK(mistake(R"("command": "${A B}")").find("not a name of a variable") != std::string::npos);
}
TEST_CASE("an error names file, server and member, without the value of a variable") {
    for (const char* members :
         {"", R"("command": 7)", R"("command": "")", R"("command": "a", "url": "http://h")",
          R"("command": "a", "args": "b")", R"("command": "a", "args": [{}])", R"("command": "a", "env": {"A=B": "c"})",
          R"("command": "a", "env": ["x"])", R"("command": "a", "headers": {})", R"("url": "h.org")",
          R"("url": "https://u:p@h.org")", R"("url": "http://h", "args": [])", R"("url": "http://h", "type": "sse")",
          R"("url": "http://h", "type": "stdio")", R"("url": "http://h", "type": "carrier pigeon")",
          R"("url": "http://h", "headers": {"A b": "c"})", R"("url": "http://h", "headers": {"A": "b\r\nC: d"})",
          R"("command": "a", "disabled": 1)", R"("command": "a\u0000")"})
        CHECK_MESSAGE(mistake(members).starts_with("f.json: the server \"s\""), members);
    const auto secret = mistake(R"("url": "${TOKEN}")");
    CHECK(secret.find("s3cret") == std::string::npos);
    CHECK(secret != "");
}
TEST_CASE("a variable's value is a secret, unless it is a path or an address") {
    const auto secrets = [](const char* members) { return one(members).secrets; };
    using Secrets = std::vector<std::string>;
    CHECK(secrets(R"("command": "x", "args": ["${TOKEN}"])") == Secrets{"s3cret-value"});
    CHECK(secrets(R"("command": "x", "env": {"API_KEY": "literal"})") == Secrets{"literal"});
    CHECK(secrets(R"("command": "x", "args": ["${HOME}/n", "${NOTES}", "${SITE}"])").empty());
    CHECK(secrets(R"("command": "x", "args": ["${DATABASE}"])") == Secrets{"pg://u:pw@h/d"});
    CHECK(secrets(R"("command": "x", "args": ["${KEY_OF_X}"])") == Secrets{"/base64/key"});
}
TEST_CASE("an error names only the member for addresses") {
    CHECK(mistake(R"("command": "a", "token": "t")").find("\"s\": token is for addresses") != std::string::npos);
    CHECK(mistake(R"("command": "a", "headers": {})").find("\"s\": headers is for addresses") != std::string::npos);
}
TEST_CASE("a file with no servers, or too many, is refused") {
    CHECK_THROWS_WITH_AS(read("{}"), doctest::Contains("lists no MCP servers"), Error);
    CHECK_THROWS_WITH_AS(read("[]"), doctest::Contains("lists no MCP servers"), Error);
    CHECK_THROWS_WITH_AS(read("{\"mcpServers\": {"), doctest::Contains("f.json: "), Error);
    std::string many;
    for (int i = 0; i < 101; ++i) many += (i ? ",\"" : "\"") + std::to_string(i) + R"(": {"command": "x"})";
    CHECK_THROWS_WITH_AS(read("{\"mcpServers\": {" + many + "}}"), doctest::Contains("more than 100"), Error);
    CHECK_THROWS_WITH_AS(mcp::load_servers("/nowhere/at.all", environment), doctest::Contains("cannot be read"), Error);
    CHECK_THROWS_AS(read(R"({"mcpServers": {"a\u202e": {"command": "x"}}})"), Error);
}
TEST_CASE("an unusable server is left out with a note, and the others stay") {
    for (const char* bad :
         {R"({"type": "sse", "url": "http://h/sse"})", R"({"command": "x", "env": {"T": "${NOT_THERE}"}})", "7", "null",
          R"({"command": "x", "url": "http://h"})", R"({"type": "carrier pigeon", "command": "x"})", "{}"}) {
        CAPTURE(bad);
        const auto file = read(std::string(R"({"mcpServers": {"bad": )") + bad + R"(, "good": {"command": "x"}}})");
        REQUIRE(file.servers.size() == 1);
        CHECK(file.servers[0].name == "good");
        REQUIRE(file.notes.size() == 1);
        CHECK(file.notes[0].starts_with("f.json: the server \"bad\""));
        CHECK(file.notes[0].ends_with("; it is left out"));
    }
    const auto twins = read(R"({"mcpServers": {"a.b": {"command": "x"}, "a_b": {"command": "y"}}})");
    REQUIRE(twins.servers.size() == 1);
    CHECK(twins.notes.at(0).find("give it another name") != std::string::npos);
}
TEST_CASE("comments and a comma after the last member are accepted, and stay when they are part of a text") {
    const auto file = read("\xEF\xBB\xBF{ // mine\n \"mcpServers\": {/* two\n lines */ \"a\": {\"command\": \"x\", "
                           "\"args\": [\"http://h/*,]\", \"\\\",]//\",], }, // end\n},}//");
    REQUIRE(file.servers.size() == 1);
    CHECK(file.servers[0].args == std::vector<std::string>{"http://h/*,]", "\",]//"});
    for (const char* broken : {"{\"mcpServers\": {} /* no end", "{\"mcpServers\": {},,}", "{\"mcpServers\": /x/ {}}"})
        CHECK_THROWS_AS(read(broken), Error);
}
TEST_CASE("an entry is read when it has the kinds, keys or numbers of other clients") {
    CHECK(one(R"("serverUrl": "http://h/mcp")").url == "http://h/mcp");
    CHECK(one(R"("httpUrl": "http://h/mcp", "command": null)").url == "http://h/mcp");
    for (const char* kind : {"http", "streamable_http", "streamable-http", "streamableHttp"})
        CHECK(one(R"("url": "http://h", "type": ")" + std::string(kind) + '"').url == "http://h");
    const auto local = one(
        R"("type": "local", "command": "x", "args": ["-p", 80, true], "env": {"PORT": 8080, "NO": null})");
    CHECK(local.args == std::vector<std::string>{"-p", "80", "true"});
    CHECK(local.env == std::map<std::string, std::string>{{"PORT", "8080"}});
    const auto quiet = read(
        R"({"servers": {"s": {"command": "x", "tools": ["*"],
        "disabled": null}, "off": {"command": "x", "enabled": false}}})");
    CHECK(quiet.servers.size() == 1);
    CHECK(quiet.notes.empty());
}
TEST_CASE("unknown members make a note") {
    const auto file = read(R"({"mcpServers": {"s": {"command": "x", "autoApprove": []}}})");
    REQUIRE(file.notes.size() == 1);
    CHECK(file.notes[0] == "f.json: the server \"s\" has a member that is not known here: autoApprove");
}
TEST_CASE("a server gets its name from its command or address") {
    const auto time = mcp::read_server("time=uvx 'mcp server' --zone \"a b\"");
    CHECK(time.name == "time");
    CHECK(time.command == "uvx");
    CHECK(time.args == std::vector<std::string>{"mcp server", "--zone", "a b"});
    const auto web = mcp::read_server("web=https://h.org/mcp?a=b", "t0ken-of-it");
    CHECK(web.url == "https://h.org/mcp?a=b");
    CHECK(web.token == "t0ken-of-it");
    CHECK(web.secrets == std::vector<std::string>{"t0ken-of-it"});
    for (const char* bad : {"", "a=", "a='b", "  ", "https://h.org/mcp?a=b", "npx -y server", "/usr/bin/my --x=1",
                            "a=ftp://host", "ws://host/mcp"})
        CHECK_THROWS_AS(mcp::read_server(bad), Error);
    CHECK_THROWS_WITH_AS(mcp::load_servers("https://h.org/mcp?key=s3cret", environment),
                         "https://h.org is the address of an MCP server, and it needs a name: write NAME=https://...",
                         Error);
}
TEST_CASE("a server's description before its start has names of variables and no secret") {
    const auto shown = [](const std::string& members) { return one(members).shown; };
    CHECK(shown(R"("command": "s", "args": ["--api-key", "k-1234567", "--dir", "x", "--token=abc", "${HOME}/n"])") ==
          "s --api-key *** --dir x --token=*** ${HOME}/n");
    CHECK(shown(R"("command": "npx", "args": ["mcp-remote", "--header", "Authorization: Bearer abc"])") ==
          "npx mcp-remote --header Authorization:***");
    CHECK(
        shown(R"("command": "docker", "args": ["run", "-e", "API_KEY=abc", "-e", "API_KEY=${TOKEN}", "image:key"])") ==
        "docker run -e API_KEY=*** -e API_KEY=${TOKEN} image:key");
    CHECK(shown(R"("command": "s", "args": ["--pat", "abc", "--pass=x", "postgres://u:abc@h/d", "--path", "here"])") ==
          "s --pat *** --pass=*** postgres://u:***@h/d --path here");
    CHECK(shown(R"("url": "https://h.org/mcp?key=abc")") == "https://h.org/mcp?key=...");
    CHECK(mcp::read_server("a=s --token abc --verbose b").shown == "s --token *** --verbose b");
    CHECK(mcp::read_server("a=https://h.org/mcp?key=abc").shown == "https://h.org/mcp?key=...");
    const auto entry = one(R"("command": "s", "args": ["--api-key", "k-1234567", "-H", "X-Token: abc"])");
    CHECK(entry.args == std::vector<std::string>{"--api-key", "k-1234567", "-H", "X-Token: abc"});
    CHECK(entry.secrets == std::vector<std::string>{"k-1234567", "abc"});
}
TEST_CASE("secrets are removed from a text at each place") {
    const mcp::ServerRedactor redactor({"Bearer s3cret-value", "short"});
    std::string text = "s3cret-value, not s3cret-values3cret-value, short";
    redactor.clean(text);
    CHECK(text == "***, not ******, short");
    nlohmann::json inside = {{"a", {1, "s3cret-value"}}, {"s3cret-value", nullptr}};
    redactor.clean(inside);
    CHECK(inside == nlohmann::json{{"a", {1, "***"}}, {"***", nullptr}});
    std::string apart = "s3cret\u200b-value";
    redactor.clean(apart);
    CHECK(apart == "***");
    const mcp::ServerRedactor key({"-----BEGIN KEY-----\nMIIBVwIBADANBg\n-----END KEY-----\n"});
    std::string line = "read MIIBVwIBADANBg";
    key.clean(line);
    CHECK(line == "read ***");
    CHECK(mcp::holds_secret("X-API-Key"));
    CHECK(mcp::holds_secret("authorization"));
    CHECK_FALSE(mcp::holds_secret("Accept"));
}
TEST_CASE("tools of two servers never have one name, whatever the servers' names") {
    CHECK(mcp::tool_prefix("git__hub") == "git_hub");
    CHECK(mcp::tool_prefix("git_") == "git");
    CHECK(mcp::tool_prefix("\u65e5\u672c") == "mcp");
    CHECK(mcp::tool_prefix(std::string(64, 'a')).size() == 40);
    CHECK(mcp::tool_name("git", "_x", {}) != mcp::tool_name("git__", "x", {"git___x"}));
    const auto both = [](const char* other) {
        mcp::Servers servers({{.name = "git", .command = "a"}, {.name = other, .command = "b"}}, {});
    };
    CHECK_NOTHROW(both("git_hub"));
    CHECK_THROWS_WITH_AS(both("git_"),
                         "the tools of the MCP servers \"git\" and \"git_\" would all be called git__...: give one of "
                         "the servers another name",
                         Error);
}
TEST_CASE("a form referring to a file or an address is not shown") {
    const auto form = [](const nlohmann::json& field) {
        return mcp::read_elicit(
            "s", {{"message", "Who?"}, {"requestedSchema", {{"type", "object"}, {"properties", {{"name", field}}}}}});
    };
    CHECK_NOTHROW(form({{"type", "string"}}));
    for (const char* where : {"$ref", "$dynamicRef"})
        CHECK_THROWS_AS(form({{"type", "string"}, {"anyOf", {{{where, "file:///etc/passwd"}}}}}), mcp::BadForm);
}
