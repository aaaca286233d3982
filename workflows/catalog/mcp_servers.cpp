// A word with a name and '=' is a server, any other word a file, so that a path is never started as a program.
#include "workflows/catalog/mcp_servers.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/settings.hpp"
#include "tools/mcp/client/redactor.hpp"
#include "tools/mcp/result_text.hpp"
#include "tools/mcp/servers.hpp"
#include "tools/registry.hpp"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace weft::catalog {
namespace {
using tools::mcp::ServerEntry;
constexpr const char* token_variable = "WEFT_MCP_TOKEN";
constexpr std::size_t most_shown_line = 1000;

/// The variable in the environment, else in the file .env. An empty variable of the environment counts as set.
tools::mcp::Variable variables(const models::Settings& settings) {
    return [&settings](const std::string& name) {
        const char* value = std::getenv(name.c_str());
        return value ? std::optional<std::string>(value) : settings.get(name);
    };
}
bool names_server(std::string_view word) {
    const auto name = word.substr(0, word.find('='));
    const bool is_name = std::ranges::all_of(name, [](char c) { return is_word_part(c) || c == '-'; });
    return name.size() < word.size() && !name.empty() && is_name;
}
/// Throws for a word that is not a file. Does not repeat an address: it may contain a key.
void check_there_is(const std::string& word) {
    std::error_code failed;
    if (std::filesystem::exists(word, failed)) return;
    if (word.starts_with("http://") || word.starts_with("https://"))
        throw Error(Code::usage, "--mcp takes an address with a name: write NAME=https://host/path; the name becomes "
                                 "the prefix of its tools");
    throw Error(Code::configuration, "there is no file " + excerpt(word, 200) +
                                         ": --mcp takes a file that lists mcpServers, NAME=COMMAND or NAME=URL");
}
/// Reports the whole command, in several lines if necessary, so that no part of it stays hidden.
void say_start(const ServerEntry& entry, const OnChoice& note) {
    const auto name = "the MCP server " + excerpt(entry.name, 60);
    std::string_view rest = entry.shown;
    for (bool first = true; first || !rest.empty(); first = false) {
        const auto line = utf8_cut(rest, most_shown_line);
        rest.remove_prefix(line.size());
        const auto* begin = !first ? "more of the command of " : entry.is_program() ? "starts " : "asks ";
        note(begin + name + ": " + std::string(line));
    }
}
/// Sends the token to one server only: several servers would see each other's.
void give_token(std::vector<ServerEntry>& by_word, const models::Settings& settings) {
    const auto token = settings.get(token_variable);
    for (auto& entry : by_word) entry.token_hint = std::string(token ? "check the token in " : "set ") + token_variable;
    if (!token) return;
    const auto at_address = [](const ServerEntry& entry) { return !entry.is_program(); };
    const auto count = std::ranges::count_if(by_word, at_address);
    if (count > 1)
        throw Error(Code::usage, std::string(token_variable) +
                                     " is the token of one server, and --mcp has several addresses: list the servers "
                                     "in a file, each with its own token");
    if (count == 0) return;
    auto& entry = *std::ranges::find_if(by_word, at_address);
    entry.token = *token;
    entry.secrets.push_back(*token);
}
bool is_this_machine(const std::string& host) {
    return host == "localhost" || host.ends_with(".localhost") || host == "::1" || host.starts_with("127.");
}
/// Uses the proxies of the environment, except for this machine's addresses.
tools::mcp::ServersOptions with_proxies(const models::Settings& settings) {
    net::HttpClientOptions http;
    http.proxies = net::ProxySettings::from([&](const std::string& name) { return settings.get(name); });
    tools::mcp::ServersOptions options;
    options.reach = [client = std::make_shared<net::HttpClient>(std::move(http))](const ServerEntry& entry) {
        const bool direct = entry.is_program() || is_this_machine(net::parse_url(entry.url).host);
        return tools::mcp::reach(entry, direct ? nullptr : client);
    };
    return options;
}
/// Reports the output of servers, without known secrets.
std::function<void(const std::string&, std::string_view)> teller(const std::vector<ServerEntry>& all,
                                                                 const OnChoice& note) {
    std::map<std::string, tools::mcp::ServerRedactor> redactors;
    for (const auto& entry : all) redactors.emplace(entry.name, entry.secrets);
    return [redactors = std::move(redactors), note](const std::string& server, std::string_view line) {
        std::string text(line.substr(0, 4096));  // the part that can be shown
        redactors.at(server).clean(text);
        note("the MCP server " + excerpt(server, 60) + " prints: " + excerpt(text, 400));
    };
}
}

std::unique_ptr<tools::mcp::Servers> mcp_servers(const std::vector<std::string>& words, const OnChoice& note,
                                                 bool output, std::function<void()> waiting,
                                                 const std::optional<std::string>& only_tool) {
    const auto settings = models::Settings::of_process();
    std::vector<ServerEntry> all, by_word;
    for (const auto& word : words) {
        if (names_server(word)) {
            by_word.push_back(tools::mcp::read_server(word));
            continue;
        }
        check_there_is(word);
        auto file = tools::mcp::load_servers(word, variables(settings));
        for (const auto& each : file.notes) note(each);
        for (auto& entry : file.servers) {
            const bool has_token = !entry.token.empty() || tools::mcp::holds_secret(entry.headers);
            entry.token_hint = (has_token ? "check that in " : "give it one by headers or token in ") +
                               excerpt(word, 200);
            all.push_back(std::move(entry));
        }
    }
    give_token(by_word, settings);
    std::ranges::move(by_word, std::back_inserter(all));
    if (only_tool)
        std::erase_if(all, [&](const ServerEntry& entry) {
            return !only_tool->starts_with(tools::mcp::tool_prefix(entry.name) + "__");
        });
    auto options = with_proxies(settings);
    if (output) options.noise = teller(all, note);
    options.waiting = std::move(waiting);
    auto servers = std::make_unique<tools::mcp::Servers>(all, std::move(options));
    for (const auto& entry : all) say_start(entry, note);
    return servers;
}
std::string name_of_servers(const std::string& word) {
    return names_server(word) ? word.substr(0, word.find('='))
                              : std::filesystem::absolute(word).lexically_normal().string();
}
void add_tools(tools::Registry& registry, tools::mcp::Servers& servers, const OnChoice& note) {
    for (auto& tool : servers.tools()) try {
            registry.add(tool);
        } catch (const Error& error) {
            note("the MCP tool " + excerpt(tool->name(), 80) + " is left out: " + error.what());
        }
    for (const auto& each : servers.notes()) note(each);
}
}
