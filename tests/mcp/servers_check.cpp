// Calls the servers of a file for a script: prints one JSON line with the tools; then each line of standard input, NAME
// ARGUMENTS, is a call, whose result is one JSON line.
//
// usage: mcp_servers_check SERVERS.json
#include "engine/json/parse.hpp"
#include "engine/testing/await.hpp"
#include "tools/mcp/servers.hpp"
#include "tools/tool_context.hpp"
#include <algorithm>
#include <cstdlib>
#include <iostream>

using namespace weft;
using namespace weft::tools;
using namespace weft::tools::mcp;
using nlohmann::json;

namespace {
std::optional<std::string> environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    if (!value) return {};
    return value;
}
/// Returns a value for each field of a form.
json filled(const json& form) {
    json content = json::object();
    const auto fields = form.value("properties", json::object());
    for (const auto& name : form.value("required", json::array())) {
        const auto& field = fields.at(name.get<std::string>());
        const auto type = field.value("type", std::string());
        auto& value = content[name.get<std::string>()];
        if (field.contains("enum")) value = field["enum"][0];
        else if (type == "boolean") value = true;
        else if (type == "string") value = "text";
        else value = field.value("minimum", 1);
    }
    return content;
}
/// Counts a tool's progress, and answers its questions.
class Answering final : public ToolContext {
public:
    bool can_ask() const override { return true; }
    awaitable<ToolAnswer> put(ToolQuestion question) override {
        asked.push_back(question.message);
        ToolAnswer answer;
        answer.action = AnswerAction::accept;
        answer.content.text = filled(json::parse(question.form.text)).dump();
        co_return answer;
    }
    json asked = json::array();
    int told = 0;

private:
    void tell(ProgressReport) override { ++told; }
};
json call(RemoteTool& tool, const json& arguments) {
    Answering context;
    json said = {{"ok", false}};
    try {
        const auto observation = testing::await(tool.call(arguments, context));
        said["ok"] = observation.ok;
        said["text"] = observation.text;
    } catch (const std::exception& error) { said["text"] = error.what(); }
    said["asked"] = context.asked;
    said["progress"] = context.told;
    return said;
}
}

int main(int count, char** words) try {
    if (count != 2) throw Error(Code::usage, "usage: mcp_servers_check SERVERS.json");
    auto file = load_servers(words[1], environment);
    ServersOptions options;
    options.noise = [](const std::string& server, std::string_view line) {
        std::cerr << server << ": " << line << '\n';
    };
    Servers servers(std::move(file.servers), std::move(options));
    const auto tools = servers.tools();
    json names = json::array();
    for (const auto& tool : tools) names.push_back(tool->name());
    std::cout << json{{"tools", names}, {"notes", servers.notes()}}.dump() << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        const auto name = line.substr(0, line.find(' '));
        const auto at = std::ranges::find(tools, name, [](const auto& tool) { return tool->name(); });
        json said = {{"ok", false}, {"text", "there is no such tool"}};
        if (at != tools.end()) said = call(**at, parse_json(line.substr(name.size())));
        std::cout << said.dump() << std::endl;
    }
    return 0;
} catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
