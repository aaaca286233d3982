// The checks of a message, in their order.
#include "tests/mcp/server/asking.hpp"
#include "workflows/mcp/check.hpp"

using namespace weft;
using namespace weft::mcp_server;
using nlohmann::json;

namespace {
struct Tried {
    std::string method = "tools/call";
    json params = {{"name", "add"}, {"_meta", testing::modern_meta()}};
    net::HttpHeaders headers{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}, {"Mcp-Name", "add"}};
    void set(const std::string& name, const char* value) {
        std::erase_if(headers, [&](const auto& header) { return header.name == name; });
        if (value) headers.push_back({name, value});
    }
    /// Returns the code of the fault, or 0.
    int code() const {
        const rpc::Request request{std::int64_t(1), method, params};
        Envelope envelope;
        envelope.http = true;
        envelope.headers = &headers;
        try {
            const auto asker = check_envelope(request, envelope);
            if (asker.era == ClientEra::modern) check_names(method, params, envelope);
        } catch (const RpcFailure& failure) {
            CHECK(failure.status == 400);
            return failure.code;
        }
        return 0;
    }
};
}

TEST_CASE("a modern request over HTTP is accepted if its headers agree with its body") {
    Tried tried;
    CHECK(tried.code() == 0);
    tried.set("Mcp-Name", "  add  ");
    CHECK(tried.code() == 0);
    tried.set("Mcp-Name", "=?base64?YWRk?=");
    CHECK(tried.code() == 0);
}
TEST_CASE("missing or contradictory headers are refused before the body's faults") {
    const std::string version(rpc::meta::version);
    for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"})
        for (const char* value : {static_cast<const char*>(nullptr), "other"}) {
            Tried tried;
            tried.set(name, value);
            CHECK(tried.code() == rpc::code::header_mismatch);
        }
    Tried both;
    both.params["_meta"].erase(std::string(rpc::meta::capabilities));
    both.set("Mcp-Method", "tools/list");
    CHECK(both.code() == rpc::code::header_mismatch);
    both.set("Mcp-Method", "tools/call");
    CHECK(both.code() == rpc::code::bad_params);
    Tried other;
    other.params["_meta"][version] = "2099-01-01";
    CHECK(other.code() == rpc::code::header_mismatch);
    other.set("MCP-Protocol-Version", "2099-01-01");
    other.set("Mcp-Name", "other");
    CHECK(other.code() == rpc::code::unsupported_version);
}
TEST_CASE("a header of the modern revision without its fields is a mistake, and does not mean an older client") {
    Tried tried;
    tried.params.erase("_meta");
    CHECK(tried.code() == rpc::code::bad_params);
    tried.headers.clear();
    CHECK(tried.code() == rpc::code::no_request);  // from an older client without a handshake
    tried.method = "ping";
    CHECK(tried.code() == 0);
}
TEST_CASE("headers repeating arguments are compared by value") {
    const json schema = json::parse(R"({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "more": {"type": "object", "properties": {"count": {"type": "integer", "x-mcp-header": "Count"}}}}})");
    const auto code = [&](const char* arguments, net::HttpHeaders headers) {
        Envelope envelope;
        envelope.http = true;
        envelope.headers = &headers;
        try {
            check_params(json::parse(arguments), schema, envelope);
        } catch (const RpcFailure& failure) { return failure.code; }
        return 0;
    };
    constexpr auto wrong = rpc::code::header_mismatch;

    CHECK(code("{}", {}) == 0);
    CHECK(code(R"({"region": null})", {}) == 0);
    CHECK(code(R"({"region": "EU"})", {{"mcp-param-region", "EU"}}) == 0);
    CHECK(code(R"({"region": "Zürich"})", {{"Mcp-Param-Region", "=?base64?WsO8cmljaA==?="}}) == 0);
    CHECK(code(R"({"more": {"count": 7}})", {{"Mcp-Param-Count", "7.0"}}) == 0);
    CHECK(code(R"({"region": "EU"})", {}) == wrong);
    CHECK(code(R"({"region": "EU"})", {{"Mcp-Param-Region", "eu"}}) == wrong);
    CHECK(code(R"({"region": "EU"})", {{"Mcp-Param-Region", "=?base64?RVU?="}}) == wrong);
    CHECK(code(R"({"more": {"count": 7}})", {{"Mcp-Param-Count", "8"}}) == wrong);
    CHECK(code("{}", {{"Mcp-Param-Region", "EU"}}) == wrong);
}
TEST_CASE("a schema makes a note when no client can send its headers") {
    const auto mistake = [](const char* properties) {
        return header_mistake({{"type", "object"}, {"properties", json::parse(properties)}});
    };
    CHECK(mistake(R"({"a": {"type": "string", "x-mcp-header": "A"}})").empty());
    CHECK_FALSE(mistake(R"({"a": {"type": "string", "x-mcp-header": "A b"}})").empty());
    CHECK_FALSE(mistake(R"({"a": {"type": "number", "x-mcp-header": "A"}})").empty());
    CHECK_FALSE(mistake(R"({"a": {"type": "string", "x-mcp-header": "A"},
                            "b": {"type": "string", "x-mcp-header": "a"}})")
                    .empty());
}
