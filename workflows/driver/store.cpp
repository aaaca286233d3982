// All contents of a store, such as ids and names of workflows, are untrusted: they are neutralised before output.
#include "workflows/driver/store.hpp"
#include "engine/error.hpp"
#include "engine/store/postgres_store.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/settings.hpp"
#include "steps/view/wrap.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <algorithm>
#include <filesystem>

namespace weft::driver {
namespace {
/// Refuses text that looks like another kind of address. Does not show it, because it may contain a password.
void check_store_name(const std::string& name) {
    if (name.starts_with('@') && name.find('\n') == name.npos) return;
    if (!catalog::is_store_file(name)) {
        for (const auto& address : catalog::addresses_of_store(name))
            if (!is_postgres_url(address))
                throw Error(Code::usage, "only databases of PostgreSQL make a store together: write each as "
                                         "postgres://USER@HOST/DATABASE");
        return;
    }
    if (name.find('\n') != name.npos)
        throw Error(Code::usage, "--store was given more than once, and only databases of PostgreSQL make a store "
                                 "together: write each as postgres://USER@HOST/DATABASE");
    auto squeezed = name;
    std::erase(squeezed, ' ');
    for (const std::string_view sign : {"://", "password=", "postgres:", "postgresql:", "postgres//", "postgresql//"})
        if (squeezed.find(sign) != squeezed.npos)
            throw Error(Code::usage, "the name of the store is neither a file nor an address of PostgreSQL: write "
                                     "postgres://USER@HOST/DATABASE");
}
struct StoreChoice {
    const char* option;
    std::string file;
};
/// SQLite's auxiliary files are a part of the database beside them.
void add_database(std::vector<StoreChoice>& files, const char* option, const std::string& file) {
    if (file.empty()) return;
    for (const auto* part : {"", "-wal", "-shm", "-journal", "-lock"}) files.push_back({option, file + part});
}
/// The file of a scripted or recorded model; empty for other models.
std::string file_of_model(const std::string& model) {
    for (const std::string_view kind : {"script:", "replay:"})
        if (model.starts_with(kind)) return model.substr(kind.size());
    return {};
}
bool is_same_file(const std::string& one, const std::string& other) {
    std::error_code error;
    if (std::filesystem::equivalent(one, other, error)) return true;  // one file may have several names
    const auto place = [&](const std::string& file) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(file), error);
    };
    return place(one) == place(other);
}
}
std::string store_or_none(const Choices& choices) {
    auto name = choices.stored.store;
    if (name.empty()) name = models::Settings::of_process().get("WEFT_STORE").value_or("");
    check_store_name(name);
    return name;
}
void refuse_shared_files(const catalog::AgentOptions& agent, const DisplayOptions& show) {
    std::vector<StoreChoice> files;
    add_database(files, "--db", agent.database);
    if (catalog::is_store_file(agent.store_file)) add_database(files, "--store", agent.store_file);
    std::vector<StoreChoice> others{
        {"--memory", agent.memory_file}, {"--log-file", show.log_file}, {"--html", show.html_file}};
    for (const auto& row : catalog::option_rows) {
        const auto* member = std::get_if<std::string catalog::AgentOptions::*>(&row.member);
        if (!member || row.kind != catalog::TextKind::file) continue;
        if (*member == &catalog::AgentOptions::database || *member == &catalog::AgentOptions::memory_file) continue;
        others.push_back({row.flag.data(), agent.**member});
    }
    others.push_back({"--system", agent.system.starts_with('@') ? agent.system.substr(1) : ""});
    others.push_back({"--model", file_of_model(agent.model)});
    for (auto& other : others)
        if (!other.file.empty()) files.push_back(std::move(other));
    for (const auto& one : files)
        for (const auto* other = &one + 1; other != files.data() + files.size(); ++other)
            if (std::string_view(one.option) != other->option && is_same_file(one.file, other->file))
                throw Error(Code::usage, std::string(one.option) + " and " + other->option + " name the same file, " +
                                             other->file + ": give each its own");
}
std::string store_name(const Choices& choices) {
    if (auto name = store_or_none(choices); !name.empty()) return name;
    throw Error(Code::usage, "say which store: --store FILE or --store postgres://USER@HOST/DATABASE, or the variable "
                             "WEFT_STORE");
}
std::string named_store(const Choices& choices) {
    const auto name = store_name(choices);
    return catalog::is_store_file(name) ? name : catalog::shown_store(name);
}
catalog::AgentOptions keeping_options(const Choices& choices, const std::string& command) {
    auto options = choices.agent;
    options.command = command;
    options.store_file = store_or_none(choices);
    refuse_shared_files(options, choices.show);
    return options;
}
catalog::OpenedStore visit_store(const Choices& choices) {
    return catalog::open_store(store_name(choices), SqliteAccess::visitor);
}
catalog::OpenedStore open_beside(const Choices& choices) {
    const auto name = store_name(choices);
    std::error_code failed;
    if (catalog::is_store_file(name) && !std::filesystem::exists(name, failed))
        catalog::open_store(name, SqliteAccess::engine);  // makes the file, and leaves it to a worker
    return catalog::open_store(name, SqliteAccess::visitor);
}

std::string cell(std::string_view text, std::size_t columns) {
    auto line = in_one_line(text);
    if (view::columns_of(line) > columns) {
        auto bytes = std::min(line.size(), 4 * columns);
        while (bytes > 0 && view::columns_of(utf8_cut(line, bytes)) >= columns) --bytes;
        line = std::string(utf8_cut(line, bytes)) + "…";
    }
    return line + std::string(columns - std::min(columns, view::columns_of(line)), ' ');
}
std::string age(std::int64_t microseconds) {
    const auto seconds = std::max<std::int64_t>(0, (storage::wall_microseconds() - microseconds) / 1'000'000);
    if (seconds < 100) return std::to_string(seconds) + "s";
    if (seconds < 100 * 60) return std::to_string(seconds / 60) + "m";
    if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + "h";
    return std::to_string(seconds / (24 * 3600)) + "d";
}
std::string shell_quoted(std::string_view text) {
    const auto plain = [](char c) {
        return is_letter_or_digit(c) || std::string_view("-_./:@+,=").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::ranges::all_of(text, plain)) return std::string(text);
    std::string out = "'";
    for (const char c : text)
        if (c == '\'') out += "'\\''";
        else out += c;
    return out + '\'';
}
}
