// The file is parsed before variables are replaced, so the value of a variable is never parsed as JSON, and never
// shown.
#include "tools/mcp/servers_file.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/hidden.hpp"
#include "engine/text/read_file.hpp"
#include "engine/text/text.hpp"
#include "tools/mcp/client/redactor.hpp"
#include "tools/mcp/json_with_comments.hpp"
#include "tools/mcp/protocol/message.hpp"
#include "tools/mcp/result_text.hpp"
#include <algorithm>
#include <utility>

namespace weft::tools::mcp {
namespace {
using nlohmann::json;
constexpr std::size_t most_file_bytes = 1u << 20, most_servers = 100, most_parts = 500, longest_part = 64u << 10,
                      longest_server_name = 64;

bool is_variable_name(std::string_view name) {
    return !name.empty() && !is_digit(name[0]) && std::ranges::all_of(name, is_word_part);
}
/// Shows where an argument begins and ends, and each character in it. Escaped as in JSON.
std::string shown_word(const std::string& word) {
    const auto plain = [](char c) {
        return is_letter_or_digit(c) || std::string_view("@%+=:,./-_${}~*").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::ranges::all_of(word, plain)) return word;
    const bool hides = bare(word) != word;
    return json(word).dump(-1, ' ', hides, json::error_handler_t::replace);
}
/// Removes the password from an address such as postgres://user:password@host.
std::string without_password(const std::string& word) {
    const auto begin = word.find("://");
    const auto end = begin == word.npos ? word.npos : word.find_first_of("/?#", begin + 3);
    const auto at = begin == word.npos ? word.npos : word.substr(0, end).rfind('@');
    const auto colon = at == word.npos ? word.npos : word.find(':', begin + 3);
    if (colon == word.npos || colon > at || word[colon + 1] == '$') return word;
    return word.substr(0, colon + 1) + "***" + word.substr(at);
}
/// Removes the values of the query, since they may be keys.
std::string shown_url(std::string_view url) {
    const auto query = url.find('?');
    std::string shown(url.substr(0, query));
    for (auto rest = query == url.npos ? std::string_view() : url.substr(query); !rest.empty();) {
        const auto end = std::min(rest.find('&', 1), rest.size());
        const auto one = rest.substr(0, end);
        const auto value = one.find('=');
        shown += value == one.npos ? std::string(one.substr(0, 1)) : std::string(one.substr(0, value)) + "=";
        shown += "...";
        rest.remove_prefix(end);
    }
    return shown;
}
/// Places are not secrets: a server must be able to name a given place, or its tools are useless.
bool is_place(std::string_view value) {
    for (const char* begin : {"/", "./", "../", "~/"})
        if (value.starts_with(begin)) return true;
    return value.find("://") != value.npos && value.find_first_of("@?") == value.npos;
}

/// A command for display, word by word: without values of secrets, as in --api-key VALUE, TOKEN=VALUE or
/// "Authorization: VALUE".
class ShownCommand {
public:
    /// Shows `raw` with the names of its variables; the program gets `told`.
    void add(const std::string& raw, const std::string& told, ServerEntry& entry) {
        const auto sign = raw.find_first_of("=:");
        const bool named = sign != raw.npos && holds_secret(raw.substr(0, sign)) &&
                           std::all_of(raw.begin(), raw.begin() + sign,
                                       [](char c) { return is_word_part(c) || c == '-'; });
        const bool option = raw.starts_with('-');
        const bool follows = std::exchange(secret_follows_, option && sign == raw.npos && holds_secret(raw)) && !option;
        const auto begin = named ? sign + 1 : 0;
        const bool hidden = (named || follows) && raw.find("${") == raw.npos;
        if (hidden && told.size() > begin) entry.secrets.push_back(std::string(trimmed(told.substr(begin))));
        if (!entry.shown.empty()) entry.shown += ' ';
        entry.shown += shown_word(hidden ? raw.substr(0, begin) + "***" : without_password(raw));
    }

private:
    bool secret_follows_ = false;
};
class EntryReader {
public:
    EntryReader(const json& value, std::string name, const Variable& environment, const std::string& where,
                std::vector<std::string>& notes)
        : value_(value), environment_(environment), where_(where), notes_(notes) {
        entry_.name = std::move(name);
    }
    /// std::nullopt: it is disabled.
    std::optional<ServerEntry> read() {
        check_server_name();
        if (!value_.is_object()) wrong("", "has to be an object");
        for (const auto& [key, value] : value_.items()) note_unknown(key);
        if (flag("disabled", false) || !flag("enabled", true)) return {};
        entry_.trusted = flag("trusted", false);
        const auto type = text("type");
        entry_.token = text("token");
        if (!entry_.token.empty()) entry_.secrets.push_back(entry_.token);
        const bool has_command = has("command"), has_url = has("url") || has("serverUrl") || has("httpUrl");
        if (has_command && !value_["command"].is_string()) wrong("command", "has to be a text");
        if (has_command == has_url) wrong("", "has to have either a command or a url");
        if (type == "sse")
            wrong("type",
                  "is the older HTTP+SSE, which is not supported: most servers have streamable HTTP (\"http\")");
        auto kind = lower(type);
        std::erase_if(kind, [](char c) { return c == '-' || c == '_'; });
        const bool stdio = kind == "stdio" || kind == "local",
                   http = kind == "http" || kind == "streamablehttp" || kind == "remote";
        if (!type.empty() && !stdio && !http) wrong("type", "is neither \"stdio\" nor \"http\"");
        if ((stdio && has_url) || (http && has_command)) wrong("type", "does not fit the server's other members");
        if (has_command) read_program();
        else read_address();
        return std::move(entry_);
    }

private:
    [[noreturn]] void wrong(const std::string& member, const std::string& why) const {
        throw Error(Code::configuration, where_ + ": the server \"" + quoted(entry_.name, 80) + "\"" +
                                             (member.empty() ? "" : ": " + quoted(member, 80)) + " " + why);
    }
    void check_server_name() const {
        const auto& name = entry_.name;
        if (name.empty() || name.size() > longest_server_name || bare(name) != name ||
            name.find_first_of("\n\t") != name.npos)
            wrong("", "has to have a name of 1 to 64 characters that can be seen");
    }
    void note_unknown(const std::string& key) {
        for (const char* known : {"command", "args", "env", "cwd", "url", "serverUrl", "httpUrl", "headers", "type",
                                  "disabled", "enabled", "trusted", "token", "description", "name"})
            if (key == known) return;
        if (key == "tools" && value_[key] == json::array({"*"})) return;
        notes_.push_back(where_ + ": the server \"" + entry_.name +
                         "\" has a member that is not known here: " + quoted(key, 80));
    }
    bool has(const char* key) const { return value_.contains(key) && !value_[key].is_null(); }
    bool flag(const char* key, bool otherwise) const {
        const auto at = value_.find(key);
        if (at == value_.end() || at->is_null()) return otherwise;
        if (!at->is_boolean()) wrong(key, "has to be true or false");
        return at->get<bool>();
    }
    std::string text(const char* key) {
        const auto at = value_.find(key);
        return at == value_.end() || at->is_null() ? std::string() : expanded(*at, key);
    }
    /// Converts to text: people write numbers where a program reads text.
    std::string written(const json& value, const std::string& member) const {
        if (value.is_string()) return value.get<std::string>();
        if (!value.is_number() && !value.is_boolean()) wrong(member, "has to be a text");
        return value.dump();
    }
    /// Replaces the variables of a text.
    std::string expanded(const json& value, const std::string& member) {
        const auto said = written(value, member);
        if (said.find('\0') != said.npos) wrong(member, "has a zero byte in it");
        std::string out;
        std::string_view rest = said;
        for (auto at = rest.find("${"); at != rest.npos; at = rest.find("${")) {
            out += rest.substr(0, at);
            const auto end = rest.find('}', at);
            if (end == rest.npos) wrong(member, "has a ${ without its }");
            out += value_of(rest.substr(at + 2, end - at - 2), member);
            rest.remove_prefix(end + 1);
            if (out.size() > longest_part) break;
        }
        out += rest;
        if (out.size() > longest_part) wrong(member, "is longer than 64 KiB");
        return out;
    }
    std::string value_of(std::string_view variable, const std::string& member) {
        const auto split = variable.find(":-");
        auto name = variable.substr(0, split);
        if (name.starts_with("env:")) name.remove_prefix(4);
        if (!is_variable_name(name)) wrong(member, "has a ${...} that is not a name of a variable");
        auto value = environment_(std::string(name));
        if (split != variable.npos && (!value || value->empty())) return std::string(variable.substr(split + 2));
        if (!value)
            wrong(member, "needs the variable " + std::string(name) + ", which is not set: set it, or write ${" +
                              std::string(name) + ":-default}");
        if (value->find('\0') != value->npos) wrong(member, "has a zero byte in it");
        const bool harmless = name == "USER" || (is_place(*value) && !holds_secret(name));
        if (!harmless) entry_.secrets.push_back(*value);
        return *value;
    }
    const json* part(const char* key, bool array) const {
        const auto at = value_.find(key);
        if (at == value_.end() || at->is_null()) return nullptr;
        if (array ? !at->is_array() : !at->is_object())
            wrong(key, array ? "has to be a list of texts" : "has to be an object of texts");
        if (at->size() > most_parts) wrong(key, "has more than 500 parts");
        return &*at;
    }
    void read_program() {
        for (const char* key : {"headers", "token"})
            if (has(key)) wrong(key, "is for addresses: a program gets its secrets by env");
        entry_.command = text("command");
        if (entry_.command.empty()) wrong("command", "is empty");
        ShownCommand shown;
        shown.add(written(value_["command"], "command"), entry_.command, entry_);
        if (const auto* args = part("args", true))
            for (const auto& arg : *args) {
                entry_.args.push_back(expanded(arg, "args"));
                shown.add(written(arg, "args"), entry_.args.back(), entry_);
            }
        if (const auto* env = part("env", false))
            for (const auto& [name, value] : env->items()) {
                if (value.is_null()) continue;
                if (!is_variable_name(name)) wrong("env", "has a name that no variable has: " + quoted(name, 60));
                const auto& told = entry_.env[name] = expanded(value, "env." + name);
                if (holds_secret(name)) entry_.secrets.push_back(told);
            }
        entry_.folder = text("cwd");
    }
    void read_address() {
        for (const char* key : {"args", "env", "cwd"})
            if (has(key)) wrong(key, "is for programs, and this server has a url");
        const auto* key = has("url") ? "url" : has("serverUrl") ? "serverUrl" : "httpUrl";
        entry_.url = text(key);
        const auto raw = written(value_[key], key);
        entry_.shown = shown_url(raw);
        try {
            net::parse_url(entry_.url);
        } catch (const Error& error) {
            if (entry_.url != raw) wrong(key, "is not an address once its variables are replaced");
            wrong(key, std::string("cannot be used: ") + error.what());
        }
        const auto* headers = part("headers", false);
        if (!headers) return;
        for (const auto& [name, value] : headers->items()) {
            const bool token = !name.empty() &&
                               std::ranges::all_of(name, [](char c) { return is_word_part(c) || c == '-'; });
            if (!token) wrong("headers", "has a name that no header has: " + quoted(name, 60));
            auto told = expanded(value, "headers." + name);
            if (std::ranges::any_of(told, [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7F; }))
                wrong("headers." + name, "has a line break or another control character in it");
            if (holds_secret(name)) entry_.secrets.push_back(told);
            entry_.headers.push_back({name, std::move(told)});
        }
    }
    const json& value_;
    const Variable& environment_;
    const std::string& where_;
    std::vector<std::string>& notes_;
    ServerEntry entry_;
};

/// Divides a command as a shell would, without a shell's other functions.
std::vector<std::string> words_of(std::string_view command) {
    std::vector<std::string> words;
    std::string word;
    bool inside = false;
    char quote = 0;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        if (quote && c == quote) quote = 0;
        else if (!quote && (c == '\'' || c == '"')) {
            quote = c;
            inside = true;
        } else if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
            word += command[++i];
            inside = true;
        } else if (!quote && is_blank(c)) {
            if (inside) words.push_back(std::exchange(word, {}));
            inside = false;
        } else {
            word += c;
            inside = true;
        }
    }
    if (quote) throw Error(Code::configuration, "the command of an MCP server has a quotation mark without its end");
    if (inside) words.push_back(std::move(word));
    return words;
}
/// An address with another scheme, such as ftp://host; no program has such a name.
bool is_other_address(std::string_view what) {
    const auto scheme = what.substr(0, what.find("://"));
    return scheme.size() < what.size() && !scheme.empty() && std::ranges::all_of(scheme, [](char c) {
               return is_letter_or_digit(c) || c == '+' || c == '-' || c == '.';
           });
}
}

ServersFile read_servers(std::string_view text, const Variable& environment, const std::string& where) {
    json all;
    try {
        all = parse_json(without_comments(text), {.bytes = most_file_bytes, .depth = 16});
    } catch (const Error& error) { throw Error(Code::configuration, where + ": " + error.what()); }
    auto servers = all.is_object() ? all.find("mcpServers") : all.end();
    if (all.is_object() && servers == all.end()) servers = all.find("servers");  // the name in VS Code
    if (!all.is_object() || servers == all.end() || !servers->is_object())
        throw Error(Code::configuration,
                    where + R"( lists no MCP servers: write {"mcpServers": {"NAME": {"command": "..."}}})");
    if (servers->size() > most_servers) throw Error(Code::configuration, where + " lists more than 100 MCP servers");
    ServersFile file;
    std::map<std::string, std::string> prefixes;  // server of each tool prefix
    std::optional<Error> failed;
    for (const auto& [name, value] : servers->items()) try {
            auto entry = EntryReader(value, name, environment, where, file.notes).read();
            if (!entry) continue;
            const auto [at, is_new] = prefixes.emplace(tool_prefix(name), name);
            if (!is_new)
                throw Error(Code::configuration, where + ": the tools of the server \"" + quoted(name, 80) +
                                                     "\" would be called as those of \"" + quoted(at->second, 80) +
                                                     "\": give it another name");
            file.servers.push_back(std::move(*entry));
        } catch (const Error& error) {
            file.notes.push_back(std::string(error.what()) + "; it is left out");
            if (!failed) failed = error;
        }
    if (file.servers.empty() && failed) throw *failed;
    return file;
}
ServersFile load_servers(const std::string& path, const Variable& environment) {
    if (path.starts_with("http://") || path.starts_with("https://"))
        throw Error(Code::configuration, quoted(net::parse_url(path).origin(), 200) +
                                             " is the address of an MCP server, and it needs a name: write "
                                             "NAME=https://...");
    const auto text = read_file(path, most_file_bytes);
    if (!text) throw Error(Code::configuration, path + " cannot be read: give a file that lists MCP servers");
    return read_servers(*text, environment, path);
}
ServerEntry read_server(std::string_view word, std::string token) {
    ServerEntry entry;
    const auto sign = word.find('=');
    const auto before = word.substr(0, sign);
    const auto refuse = [](std::string_view what) {
        throw Error(Code::configuration,
                    "\"" + quoted(what, 100) + "\" names no MCP server: write NAME=COMMAND or NAME=https://...");
    };
    if (sign == word.npos || before.empty() || before.find_first_of(" /:'\"") != before.npos) refuse(before);
    const auto what = trimmed(word.substr(sign + 1));
    if (what.starts_with("http://") || what.starts_with("https://")) {
        entry.url = what;
        net::parse_url(entry.url);
        entry.shown = shown_url(entry.url);
        entry.token = std::move(token);
        if (!entry.token.empty()) entry.secrets.push_back(entry.token);
    } else if (is_other_address(what)) {
        throw Error(Code::configuration, "an MCP server is reached by http:// or https://, or it is a program: " +
                                             quoted(what.substr(0, what.find("://")), 40) + ":// is neither");
    } else {
        auto words = words_of(what);
        if (words.empty() || words.front().empty()) refuse(word);
        entry.command = std::move(words.front());
        entry.args.assign(words.begin() + 1, words.end());
        ShownCommand shown;
        shown.add(entry.command, entry.command, entry);
        for (const auto& arg : entry.args) shown.add(arg, arg, entry);
    }
    entry.name = before;
    if (entry.name.size() > longest_server_name)
        throw Error(Code::configuration, "the name of an MCP server has to have 1 to 64 characters");
    return entry;
}
}
