// The tools without questions: texts, images, sounds, resources, messages, progress.
#include "engine/timeout.hpp"
#include "tests/mcp/server/fixtures.hpp"

namespace weft::testing {
namespace {
using mcp_server::Call;
using mcp_server::text_result;
using nlohmann::json;
using namespace std::chrono_literals;

json content(json blocks) { return {{"content", std::move(blocks)}}; }
json image() { return {{"type", "image"}, {"data", red_pixel}, {"mimeType", "image/png"}}; }
json embedded(const char* uri, const char* type, const char* text) {
    return {{"type", "resource"}, {"resource", {{"uri", uri}, {"mimeType", type}, {"text", text}}}};
}
awaitable<json> log_three(Call& call) {
    call.log("info", "Tool execution started");
    co_await sleep_for(50ms);
    call.log("info", "Tool processing data");
    co_await sleep_for(50ms);
    call.log("info", "Tool execution completed");
    co_return text_result("three messages were logged");
}
awaitable<json> go_on(Call& call) {
    for (const int done : {0, 50, 100}) {
        call.progress(done, 100);
        co_await sleep_for(50ms);
    }
    co_return text_result("done");
}
constexpr const char* schema_of_2020 = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
  "$defs": {"address": {"$anchor": "addressDef", "type": "object",
                        "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
  "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
                 "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                 "phone": {"type": "string"}, "email": {"type": "string"}},
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": false})";
}

mcp_server::CoreOptions fixture_options() {
    mcp_server::CoreOptions options;
    options.name = "weft-fixtures";
    options.version = "1.0";
    options.capabilities = {
        {"prompts", json::object()}, {"resources", json::object()}, {"completions", json::object()}};
    options.older_capabilities = {{"logging", json::object()}, {"resources", {{"subscribe", true}}}};
    return options;
}
mcp_server::ServedTool fixture(const char* name, mcp_server::ToolAction act, const char* schema) {
    json tool = {{"name", name}, {"description", std::string("the fixture ") + name}};
    tool["inputSchema"] = json::parse(schema);
    return {std::move(tool), std::move(act)};
}
void add_fixture_tools(mcp_server::Core& core) {
    const auto add = [&core](const char* name, auto function) { core.add(fixture(name, at_once(function))); };
    add("test_simple_text", [](Call&) { return text_result("This is a simple text response for testing."); });
    add("test_image_content", [](Call&) { return content(json::array({image()})); });
    add("test_audio_content", [](Call&) {
        return content(json::array({{{"type", "audio"}, {"data", silence}, {"mimeType", "audio/wav"}}}));
    });
    add("test_embedded_resource", [](Call&) {
        return content(
            json::array({embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")}));
    });
    add("test_multiple_content_types", [](Call&) {
        return content(json::array(
            {{{"type", "text"}, {"text", "Multiple content types test:"}},
             image(),
             embedded("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})")}));
    });
    add("test_error_handling",
        [](Call&) -> json { throw std::runtime_error("This tool intentionally returns an error for testing"); });
    core.add(fixture("test_tool_with_logging", log_three));
    core.add(fixture("test_logging_tool", log_three));
    core.add(fixture("test_tool_with_progress", go_on));
    core.add(fixture("json_schema_2020_12_tool", at_once([](Call&) { return text_result("taken"); }), schema_of_2020));
    core.add(fixture("test_custom_headers",
                     at_once([](Call& call) { return text_result(call.arguments().value("region", "")); }),
                     R"({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}})"));
}
}
