// The messages of MCP, read and written.
#include "tools/mcp/protocol/form_order.hpp"
#include "tools/mcp/protocol/message.hpp"
#include <doctest/doctest.h>
using namespace weft::tools;
using nlohmann::json;

namespace {
template <class T> T read_as(std::string_view text) {
    auto read = mcp::read_message(text);
    auto* message = std::get_if<mcp::RpcMessage>(&read);
    REQUIRE_MESSAGE(message, text);
    return std::get<T>(std::move(*message));
}
mcp::Malformed wrong(std::string_view text, const mcp::MessageLimits& limits = {}) {
    auto read = mcp::read_message(text, limits);
    auto* malformed = std::get_if<mcp::Malformed>(&read);
    REQUIRE_MESSAGE(malformed, text);
    return *malformed;
}
}

TEST_CASE("a request, a notification, a result and an error differ") {
    const auto request = read_as<mcp::Request>(R"({"jsonrpc":"2.0","id":7,"method":"a/b","params":{"c":1}})");
    const auto notification = read_as<mcp::Notification>(R"({"jsonrpc":"2.0","method":"n"})");
    const auto result = read_as<mcp::Response>(R"({"jsonrpc":"2.0","id":"7","result":{"d":2}})");
    const auto error = read_as<mcp::Response>(R"({"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}})");

    CHECK(request.id == mcp::Id(std::int64_t(7)));
    CHECK(request.method == "a/b");
    CHECK(request.params == json{{"c", 1}});
    CHECK(notification.method == "n");
    CHECK(notification.params == json::object());
    CHECK(result.id == mcp::Id(std::string("7")));
    CHECK(*result.result() == json{{"d", 2}});
    CHECK_FALSE(error.id);
    CHECK(error.error()->code == -1);
    CHECK(error.error()->message == "m");
}
TEST_CASE("a response is read when the other of result and error is null") {
    CHECK(*read_as<mcp::Response>(R"({"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null})").result() ==
          json{{"a", 1}});
    CHECK(read_as<mcp::Response>(R"({"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-3}})").error()->code == -3);
    CHECK(wrong(R"({"jsonrpc":"2.0","id":1,"result":null,"error":null})").code == mcp::code::no_request);
}
TEST_CASE("the integer 7 and the text 7 are two ids") {
    CHECK(mcp::Id(std::int64_t(7)) != mcp::Id(std::string("7")));
    CHECK(mcp::text_of(std::int64_t(7)) == "7");
    CHECK(mcp::text_of(std::string("7")) == "\"7\"");
    CHECK(mcp::as_number(std::string("7")) == mcp::Id(std::int64_t(7)));
    for (const char* text : {"", "7a", " 7", "7.0", "99999999999999999999"})
        CHECK(mcp::as_number(std::string(text)) == mcp::Id(std::string(text)));
}
TEST_CASE("an invalid message is an error with the reason and JSON-RPC's code for it") {
    CHECK(wrong("").code == mcp::code::not_json);
    CHECK(wrong("{").code == mcp::code::not_json);
    CHECK(wrong(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"m"})").code == mcp::code::not_json);
    for (const char* text : {
             "7",
             "\"text\"",
             "[]",
             R"([{"jsonrpc":"2.0","id":1,"method":"m"}])",
             "{}",
             R"({"id":1,"method":"m"})",
             R"({"jsonrpc":"1.0","id":1,"method":"m"})",
             R"({"jsonrpc":"2.0"})",
             R"({"jsonrpc":"2.0","id":1})",
             R"({"jsonrpc":"2.0","id":1,"method":7})",
             R"({"jsonrpc":"2.0","id":1,"method":""})",
             R"({"jsonrpc":"2.0","id":null,"method":"m"})",
             R"({"jsonrpc":"2.0","id":1.5,"method":"m"})",
             R"({"jsonrpc":"2.0","id":{},"method":"m"})",
             R"({"jsonrpc":"2.0","id":99999999999999999999,"method":"m"})",
             R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1]})",
             R"({"jsonrpc":"2.0","id":1,"result":7})",
             R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})",
             R"({"jsonrpc":"2.0","id":null,"result":{}})",
             R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}})",
             R"({"jsonrpc":"2.0","result":{}})",
             R"({"jsonrpc":"2.0","id":1,"result":[1]})",
             R"({"jsonrpc":"2.0","id":1,"error":null})",
         })
        CHECK_MESSAGE(wrong(text).code == mcp::code::no_request, text);
    CHECK(wrong("[1]").why == "batches of messages are not supported: send one message at a time");
}
TEST_CASE("a malformed message keeps its id, so that its sender gets an error") {
    CHECK(wrong(R"({"id":5,"method":"m"})").id == mcp::Id(std::int64_t(5)));
    CHECK_FALSE(wrong(R"({"id":[5],"method":"m"})").id);
    CHECK(mcp::write(mcp::error_for({-32600, "no", std::int64_t(5)})) ==
          R"({"error":{"code":-32600,"message":"no"},"id":5,"jsonrpc":"2.0"})");
}
TEST_CASE("bytes, depth, and the length of ids and methods are bounded") {
    const std::string deep = R"({"jsonrpc":"2.0","method":"m","params":{"a":)" + std::string(80, '[') +
                             std::string(80, ']') + "}}";
    const auto long_id = R"({"jsonrpc":"2.0","method":"m","id":")" + std::string(2000, 'x') + "\"}";
    const auto long_method = R"({"jsonrpc":"2.0","method":")" + std::string(2000, 'x') + "\"}";

    CHECK(wrong(deep).code == mcp::code::not_json);
    CHECK(wrong(R"({"jsonrpc":"2.0","method":"m"})", {.bytes = 10}).code == mcp::code::not_json);
    CHECK(wrong(long_id).code == mcp::code::no_request);
    CHECK(wrong(long_method).code == mcp::code::no_request);
}
TEST_CASE("a written message is one line with any content, and is read again unchanged") {
    const mcp::Request request{std::string("i\n"), "m", {{"text", "a\nb\r\xe2\x80\xa8"}, {"bad", "\xff"}}};

    const auto line = mcp::write(request);
    const auto again = read_as<mcp::Request>(line);

    CHECK(line.find_first_of("\r\n") == line.npos);
    CHECK(again.id == request.id);
    CHECK(again.params["text"] == request.params["text"]);
    CHECK(again.params["bad"] == "\xEF\xBF\xBD");
    CHECK(mcp::write(mcp::Notification{"n"}) == R"({"jsonrpc":"2.0","method":"n"})");
    CHECK(mcp::write(mcp::success(std::int64_t(1), {})) == R"({"id":1,"jsonrpc":"2.0","result":{}})");
    CHECK(mcp::write(mcp::failure({}, -32022, "v", {{"requested", "x"}})) ==
          R"({"error":{"code":-32022,"data":{"requested":"x"},"message":"v"},"id":null,"jsonrpc":"2.0"})");
}
TEST_CASE("an empty array counts as an empty object in the place of an object") {
    const auto params = [](const std::string& text) {
        return read_as<mcp::Request>(R"({"jsonrpc":"2.0","id":1,"method":"m","params":)" + text + '}').params;
    };
    const auto result = [](const std::string& text) {
        return *read_as<mcp::Response>(R"({"jsonrpc":"2.0","id":1,"result":)" + text + '}').result();
    };
    const auto none = json::object();

    CHECK(params("[]") == none);
    CHECK(params(R"({"name":"a","arguments":[],"_meta":[]})") ==
          json{{"name", "a"}, {"arguments", none}, {"_meta", none}});
    CHECK(params(R"({"capabilities":[],"clientInfo":[]})") == json{{"capabilities", none}, {"clientInfo", none}});
    CHECK(params(R"({"capabilities":{"elicitation":[]}})") == json{{"capabilities", {{"elicitation", none}}}});
    CHECK(params(R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":{"elicitation":[]}}})") ==
          json{{"_meta", {{"io.modelcontextprotocol/clientCapabilities", {{"elicitation", none}}}}}});
    CHECK(params(R"({"arguments":{"list":[]}})")["arguments"]["list"] == json::array());
    CHECK(result("[]") == none);
    CHECK(result(R"({"capabilities":{"tools":[]},"content":[]})") ==
          json{{"capabilities", {{"tools", none}}}, {"content", json::array()}});
}
TEST_CASE("null params are left out, and so is the null id of a notification") {
    CHECK(read_as<mcp::Request>(R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})").params == json::object());
    CHECK(read_as<mcp::Notification>(R"({"jsonrpc":"2.0","method":"n","params":null})").params == json::object());
    CHECK(read_as<mcp::Notification>(R"({"jsonrpc":"2.0","id":null,"method":"notifications/n"})").method ==
          "notifications/n");
}
TEST_CASE("an error of an odd form keeps its sentence") {
    const auto error = [](const std::string& text) {
        const auto read = *read_as<mcp::Response>(R"({"jsonrpc":"2.0","id":1,"error":)" + text + '}').error();
        return std::pair(read.code, read.message);
    };
    using Told = std::pair<int, std::string>;
    constexpr int ours = mcp::code::ours;

    CHECK(error(R"({"code":"-32000","message":"bad"})") == Told(-32000, "bad"));
    CHECK(error(R"({"code":-32000.0,"message":"bad"})") == Told(-32000, "bad"));
    CHECK(error(R"({"code":"E_BAD","message":"bad"})") == Told(ours, "bad"));
    CHECK(error(R"({"message":"bad"})") == Told(ours, "bad"));
    CHECK(error(R"("bad")") == Told(ours, "bad"));
    CHECK(error(R"(["bad"])") == Told(ours, R"(["bad"])"));
    CHECK(error(R"({"code":1,"message":{"x":1}})") == Told(1, R"({"x":1})"));
    CHECK(error(R"({"code":1,"detail":"bad"})") == Told(1, "bad"));
    CHECK(error(R"({"code":1})") == Told(1, ""));
}
TEST_CASE("a code beyond 32 bits is the largest one") {
    const auto error = read_as<mcp::Response>(R"({"jsonrpc":"2.0","id":1,"error":{"code":18446744073709551615}})");
    CHECK(error.error()->code == INT32_MAX);
}
TEST_CASE("the values of _meta are read, also when there are none") {
    const json params = {{"_meta", {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}}}};
    REQUIRE(mcp::find_meta(params, mcp::meta::version));
    CHECK(*mcp::find_meta(params, mcp::meta::version) == mcp::revision::modern);
    CHECK_FALSE(mcp::find_meta(params, mcp::meta::client));
    CHECK_FALSE(mcp::find_meta({{"_meta", 7}}, mcp::meta::version));
    CHECK_FALSE(mcp::find_meta(7, mcp::meta::version));
    CHECK(mcp::revision::is_legacy("2025-06-18"));
    CHECK_FALSE(mcp::revision::is_legacy("2026-07-28"));
}
TEST_CASE("the fields of a form keep the order of the text when the question is read and written again") {
    const std::string form = R"({"properties":{"year":{"type":"integer"},"month":{"properties":{"b":1,"a":2}},)"
                             R"("day":{}},"required":["year"],"type":"object"})";
    const auto params = R"({"message":"When?","requestedSchema":)" + form + '}';
    const auto request = R"({"id":1,"jsonrpc":"2.0","method":"elicitation/create","params":)" + params + '}';
    const auto result = R"({"id":1,"jsonrpc":"2.0","result":{"inputRequests":{"when":{"method":"elicitation/create",)"
                        R"("params":)" +
                        params + R"(}},"requestState":"s"}})";

    const auto asked = read_as<mcp::Request>(request);
    const auto required = read_as<mcp::Response>(result);

    const std::vector<std::string> order{"year", "month", "day"};
    CHECK(mcp::field_order(asked.params["requestedSchema"]) == order);
    CHECK(mcp::field_order(required.result()->at("inputRequests")["when"]["params"]["requestedSchema"]) == order);
    const auto with_fields = [](std::string text) {  // members within a field are ordered by name
        return text.replace(text.find(R"({"b":1,"a":2})"), 13, R"({"a":2,"b":1})");
    };
    CHECK(mcp::write(asked) == with_fields(request));
    CHECK(mcp::write(required) == with_fields(result));
}
TEST_CASE("fields outside of the form's list are last, ordered by name") {
    const json form = {{"properties", {{"a", 1}, {"b", 1}, {"c", 1}}}, {"propertyOrdering", {"c", 7, "x", "c"}}};
    const auto order = [](const json& value) { return mcp::field_order(value); };

    CHECK(order(form) == std::vector<std::string>{"c", "a", "b"});
    CHECK(order({{"properties", {{"b", 1}, {"a", 1}}}, {"propertyOrdering", "b"}}) ==
          std::vector<std::string>{"a", "b"});
    CHECK(order({{"properties", 7}}).empty());
    CHECK(order(7).empty());
}
TEST_CASE("a message resembling a question is read unchanged") {
    for (const std::string text :
         {R"({"requestedSchema":{"properties":{"a":1}}})", R"({"params":[{"requestedSchema":1}]})",
          R"({"params":{"requestedSchema":{"properties":[1]}}})",
          R"({"result":{"inputRequests":[{"params":{"requestedSchema":{"properties":{"a":1}}}}]}})"}) {
        auto message = json::parse(text);
        mcp::keep_field_order(text, message);
        CHECK(message == json::parse(text));
    }
}
