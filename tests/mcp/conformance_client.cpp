// The client for MCP's conformance suite, which starts it once for each scenario with the address of a server: it
// executes the scenario.
//
// usage: mcp_conformance_client URL, with MCP_CONFORMANCE_SCENARIO, _PROTOCOL_VERSION and _CONTEXT in the environment
#include "engine/json/parse.hpp"
#include "engine/testing/await.hpp"
#include "tools/mcp/client/client.hpp"
#include "tools/mcp/client/http_transport.hpp"
#include <cstdlib>
#include <iostream>

using namespace weft;
using namespace weft::tools;
using nlohmann::json;

namespace {
std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}
awaitable<mcp::ElicitResult> accept_form(mcp::ElicitRequest request) {
    mcp::ElicitResult result{.action = mcp::ElicitResult::Action::accept};
    if (request.form.value("properties", json::object()).contains("confirmed")) result.content["confirmed"] = true;
    co_return result;
}
awaitable<void> call(mcp::Client& client, std::string tool, json arguments) {
    mcp::CallToolParams wanted{.tool = tool, .arguments = std::move(arguments)};
    mcp::CallOptions options;
    options.elicit = accept_form;
    options.progress = [](const mcp::CallProgress& progress) { std::cerr << progress.progress << '\n'; };
    try {
        auto calling = client.call(std::move(wanted), std::move(options));
        const auto result = co_await std::move(calling);
        std::cout << tool << ": " << result.content.dump() << '\n';
    } catch (const Error& error) { std::cout << tool << ": " << error.what() << '\n'; }
}
/// Returns a value for each argument of the tool.
json some_arguments(const json& schema) {
    json arguments = json::object();
    const auto properties = schema.value("properties", json::object());
    for (const auto& name : schema.value("required", json::array())) {
        const auto type = properties.value(name.get<std::string>(), json::object()).value("type", std::string());
        auto& value = arguments[name.get<std::string>()];
        if (type == "string") value = "text";
        else if (type == "boolean") value = true;
        else if (type == "object") value = json::object();
        else value = 1;
    }
    return arguments;
}
awaitable<void> act(mcp::Client& client, std::string scenario, json context) {
    auto listing = client.tools();
    const auto list = co_await std::move(listing);
    for (const auto& note : list->notes) std::cout << note << '\n';
    if (scenario == "tools_call") {
        auto calling = call(client, "add_numbers", json{{"a", 5}, {"b", 3}});
        co_await std::move(calling);
    } else if (context.contains("toolCalls")) {
        for (const auto& wanted : context["toolCalls"]) {
            auto calling = call(client, wanted.at("name"), wanted.value("arguments", json::object()));
            co_await std::move(calling);
        }
    } else if (scenario == "json-schema-2020-12-preservation") {
        for (const auto& tool : list->tools) {
            if (tool.name == "json_schema_echo") continue;
            auto calling = call(client, "json_schema_echo", json{{"schema", tool.arguments}});
            co_await std::move(calling);
        }
    } else if (scenario != "initialize" && scenario != "json-schema-ref-no-deref") {
        for (const auto& tool : list->tools) {
            auto calling = call(client, tool.name, some_arguments(tool.arguments));
            co_await std::move(calling);
        }
    }
    auto closing = client.close();
    co_await std::move(closing);
}
}

int main(int count, char** words) try {
    if (count < 2) throw Error(Code::usage, "mcp_conformance_client needs the address of the server");
    const auto scenario = variable("MCP_CONFORMANCE_SCENARIO"), text = variable("MCP_CONFORMANCE_CONTEXT");
    const auto context = text.empty() ? json::object() : parse_json(text);
    mcp::HttpTransportOptions options{.server = "suite", .url = net::parse_url(words[count - 1])};
    mcp::ClientOptions client_options;
    const bool modern = variable("MCP_CONFORMANCE_PROTOCOL_VERSION") >= mcp::revision::modern;
    client_options.era = modern ? mcp::ServerEra::modern : mcp::ServerEra::legacy;
    mcp::Client client(std::make_unique<mcp::HttpTransport>(std::move(options)), std::move(client_options));
    testing::await(act(client, scenario, context));
    return 0;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
