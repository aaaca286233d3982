// Prompts, resources and completions: weft has none, so that only this program answers these methods.
#include "tests/mcp/server/fixtures.hpp"

namespace weft::testing {
namespace {
using mcp_server::Call;
using mcp_server::elicitation;
using mcp_server::RpcFailure;
using nlohmann::json;
namespace code = mcp_server::rpc::code;

json message(json content) { return {{"role", "user"}, {"content", std::move(content)}}; }
json text(const std::string& said) { return {{"type", "text"}, {"text", said}}; }
json prompt(const char* name, std::vector<std::string> arguments = {}) {
    json all = {{"name", name}, {"description", std::string("the fixture ") + name}};
    for (const auto& argument : arguments)
        all["arguments"].push_back({{"name", argument}, {"description", "a text"}, {"required", true}});
    return all;
}
json list_prompts(Call&) {
    return {
        {"prompts", json::array({prompt("test_simple_prompt"), prompt("test_prompt_with_arguments", {"arg1", "arg2"}),
                                 prompt("test_prompt_with_embedded_resource", {"resourceUri"}),
                                 prompt("test_prompt_with_image"), prompt("test_input_required_result_prompt")})}};
}
json messages(json all) { return {{"messages", std::move(all)}}; }
awaitable<json> get_prompt(Call& call) {
    const auto name = call.params().value("name", "");
    const auto argument = [&](const char* key) { return call.arguments().value(key, std::string()); };
    if (name == "test_simple_prompt")
        co_return messages(json::array({message(text("This is a simple prompt for testing."))}));
    if (name == "test_prompt_with_arguments")
        co_return messages(json::array({message(
            text("Prompt with arguments: arg1='" + argument("arg1") + "', arg2='" + argument("arg2") + "'"))}));
    if (name == "test_prompt_with_embedded_resource") {
        json resource = {{"uri", argument("resourceUri")},
                         {"mimeType", "text/plain"},
                         {"text", "Embedded resource content for testing."}};
        json embedded = {{"type", "resource"}, {"resource", std::move(resource)}};
        co_return messages(
            json::array({message(std::move(embedded)), message(text("Please process the embedded resource above."))}));
    }
    if (name == "test_prompt_with_image") {
        json image = {{"type", "image"}, {"data", red_pixel}, {"mimeType", "image/png"}};
        co_return messages(json::array({message(std::move(image)), message(text("Please analyze the image above."))}));
    }
    if (name != "test_input_required_result_prompt") throw RpcFailure(code::bad_params, "there is no such prompt");
    json fields = {{"type", "object"}, {"properties", {{"context", {{"type", "string"}}}}}, {"required", {"context"}}};
    json questions = {{"user_context", elicitation("What context should the prompt use?", std::move(fields))}};
    auto asked = call.ask(std::move(questions));
    const auto answers = co_await std::move(asked);
    co_return messages(json::array({message(text("The context is " + answers.dump()))}));
}
json resource(const char* uri, const char* type) {
    return {{"uri", uri}, {"name", uri}, {"description", "a fixture"}, {"mimeType", type}};
}
json list_resources(Call&) {
    return {{"resources",
             json::array({resource("test://static-text", "text/plain"), resource("test://static-binary", "image/png"),
                          resource("test://watched-resource", "text/plain")})}};
}
json list_templates(Call&) {
    json one = {{"uriTemplate", "test://template/{id}/data"},
                {"name", "template"},
                {"description", "a fixture"},
                {"mimeType", "application/json"}};
    return {{"resourceTemplates", json::array({std::move(one)})}};
}
json read_resource(Call& call) {
    const auto uri = call.params().value("uri", "");
    json content = {{"uri", uri}};
    constexpr std::string_view begin = "test://template/", end = "/data";
    if (uri == "test://static-text" || uri == "test://watched-resource") {
        content["mimeType"] = "text/plain";
        content["text"] = "This is the content of the static text resource.";
    } else if (uri == "test://static-binary") {
        content["mimeType"] = "image/png";
        content["blob"] = red_pixel;
    } else if (uri.starts_with(begin) && uri.ends_with(end) && uri.size() > begin.size() + end.size()) {
        const auto id = uri.substr(begin.size(), uri.size() - begin.size() - end.size());
        content["mimeType"] = "application/json";
        content["text"] = json{{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}}.dump();
    } else throw RpcFailure(code::bad_params, "there is no such resource", {{"uri", uri}});
    return {{"contents", json::array({std::move(content)})}};
}
json complete(Call&) {
    return {{"completion", {{"values", {"paris", "park", "party"}}, {"total", 3}, {"hasMore", false}}}};
}
}

void add_fixture_resources(mcp_server::Core& core) {
    const auto list = [&core](const char* method, auto function) {
        mcp_server::Method listed;
        listed.act = at_once(function);
        listed.cacheable = true;
        core.add(method, std::move(listed));
    };
    list("prompts/list", list_prompts);
    list("resources/list", list_resources);
    list("resources/templates/list", list_templates);
    list("resources/read", read_resource);
    mcp_server::Method prompts;
    prompts.act = get_prompt;
    prompts.asks = true;
    core.add("prompts/get", std::move(prompts));
    mcp_server::Method completions;
    completions.act = at_once(complete);
    core.add("completion/complete", std::move(completions));
    for (const char* method : {"resources/subscribe", "resources/unsubscribe"}) {
        mcp_server::Method old;
        old.act = at_once([](Call&) { return json::object(); });
        old.modern = false;
        core.add(method, std::move(old));
    }
}
}
