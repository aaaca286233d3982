// A word with a name and '=' is a server, and any other one a file, so that a path is never started as a program.
#include "workflows/catalog/mcp_servers.hpp"
#include "engine/error.hpp"
#include "engine/utf8.hpp"
#include "tools/mcp/servers.hpp"
#include "tools/registry.hpp"
#include <algorithm>
#include <cstdlib>
#include <set>

namespace weft::catalog {
namespace {
using tools::mcp::ServerEntry;
constexpr const char* token_variable = "WEFT_MCP_TOKEN";
constexpr std::size_t most_shown_line = 1000;

std::optional<std::string> variable(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
}
bool names_server(std::string_view word) {
    const auto name = word.substr(0, word.find('='));
    const bool is_name = std::ranges::all_of(name,
                                             [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
    return name.size() < word.size() && !name.empty() && is_name;
}
/// The whole command, in as many lines as it takes: what is run must not hide behind what is shown.
void say_start(const ServerEntry& entry, const Note& note) {
    const auto name = "the MCP server " + excerpt(entry.name, 60);
    std::string_view rest = entry.shown;
    for (bool first = true; first || !rest.empty(); first = false) {
        const auto line = utf8_cut(rest, most_shown_line);
        rest.remove_prefix(line.size());
        note((first ? "starts " + name + ": " : "more of the command of " + name + ": ") + std::string(line));
    }
}
/// Sent to one server only: else each of several would learn what is meant for another.
void give_token(std::vector<ServerEntry>& by_word) {
    const auto token = variable(token_variable);
    if (!token || token->empty()) return;
    const auto at_address = [](const ServerEntry& entry) { return !entry.is_program(); };
    const auto count = std::ranges::count_if(by_word, at_address);
    if (count > 1)
        throw Error(Code::usage, std::string(token_variable) +
                                     " is the token of one server, and --mcp names several by their addresses: put "
                                     "them into a file, each with its own token");
    if (count == 0) return;
    auto& entry = *std::ranges::find_if(by_word, at_address);
    entry.token = *token;
    entry.secrets.push_back(*token);
}
}

std::unique_ptr<tools::mcp::Servers> mcp_servers(const std::vector<std::string>& words, const Note& note,
                                                 std::function<void()> waiting) {
    std::vector<ServerEntry> all, by_word;
    for (const auto& word : words) {
        if (names_server(word)) {
            by_word.push_back(tools::mcp::read_server(word));
            continue;
        }
        auto file = tools::mcp::load_servers(word, variable);
        for (const auto& each : file.notes) note(each);
        std::ranges::move(file.servers, std::back_inserter(all));
    }
    give_token(by_word);
    std::ranges::move(by_word, std::back_inserter(all));
    std::set<std::string> names;
    for (const auto& entry : all) {
        if (!names.insert(entry.name).second)
            throw Error(Code::usage,
                        "two MCP servers are called " + excerpt(entry.name, 60) + ": give one of them another name");
        say_start(entry, note);
    }
    tools::mcp::ServersOptions options;
    options.waiting = std::move(waiting);
    return std::make_unique<tools::mcp::Servers>(std::move(all), std::move(options));
}
std::string name_of_servers(const std::string& word) {
    return names_server(word) ? word.substr(0, word.find('=')) : word;
}
void add_tools(tools::Registry& registry, tools::mcp::Servers& servers, const Note& note) {
    for (auto& tool : servers.tools()) try {
            registry.add(tool);
        } catch (const Error& error) {
            note("the MCP tool " + excerpt(tool->name(), 80) + " is left out: " + error.what());
        }
    for (const auto& each : servers.notes()) note(each);
}
}
