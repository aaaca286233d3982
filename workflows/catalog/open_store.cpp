// An engine holds a lock on a file beside the store. To detect an engine, this source takes a shared lock for a moment.
#include "workflows/catalog/open_store.hpp"
#include "engine/error.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/postgres_shards.hpp"
#include "engine/text/read_file.hpp"
#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

namespace weft::catalog {
bool engine_holds(const std::string& name) {
    std::error_code error;
    const auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(name, error), error).string();
    const int lock = ::open((path + "-lock").c_str(), O_RDONLY | O_CLOEXEC);
    if (lock < 0) return false;
    const bool held = ::flock(lock, LOCK_SH | LOCK_NB) != 0;
    ::close(lock);
    return held;
}
namespace {
constexpr std::size_t most_addresses = 1 << 20;  // bytes
std::vector<std::string> words_of(const std::string& text) {
    std::istringstream words(text);
    return {std::istream_iterator<std::string>(words), {}};
}
/// True if a run is running: it has an owner, or the next heartbeat of any engine finds that its owner is dead.
bool somebody_works(Store& store, const std::string& run) {
    auto* asked = &store;
    if (!run.empty()) {
        const auto at = storage::answer_of<std::vector<std::size_t>>(
            [&](auto then) { store.find_shards({run}, std::move(then)); });
        asked = store.shards().at(at.front());
    }
    const auto survey = storage::answer_of<storage::Survey>([&](auto then) { asked->survey(std::move(then)); });
    const auto runs = [](const storage::RunCount& count) { return count.status == RunStatus::running; };
    return !survey.workers.empty() || std::ranges::any_of(survey.runs, runs);
}
}

OpenedStore open_store(const std::string& name, SqliteAccess access, std::function<std::int64_t()> clock,
                       StoreNotes note) {
    OpenedStore opened;
    if (!is_store_file(name)) {
        const auto addresses = addresses_of_store(name);
        const PostgresOptions options{.note = std::move(note), .now = std::move(clock)};
        if (addresses.size() == 1) opened.store = std::make_unique<PostgresStore>(addresses.front(), options);
        else opened.store = open_postgres_shards(addresses, options);
        opened.has_engine = [store = opened.store.get()](const std::string& run) {
            return somebody_works(*store, run);
        };
        return opened;
    }
    if (!clock) clock = storage::wall_microseconds;
    opened.store = std::make_unique<SqliteStore>(
        name, SqliteOptions{.access = access, .note = std::move(note), .now = std::move(clock)});
    opened.has_engine = [held = access == SqliteAccess::visitor && engine_holds(name)](const std::string&) {
        return held;
    };
    return opened;
}
bool is_store_file(const std::string& name) { return !is_postgres_url(name) && !name.starts_with('@'); }
std::vector<std::string> addresses_of_store(const std::string& name) {
    if (!name.starts_with('@')) return words_of(name);
    const auto file = name.substr(1);
    const auto text = read_file(file, most_addresses);
    if (!text || text->size() > most_addresses)
        throw Error(Code::configuration,
                    "the file of databases, " + file + ", " + (text ? "is longer than 1 MB" : "cannot be read"));
    std::istringstream lines(*text);
    std::vector<std::string> addresses;
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const auto words = words_of(line);
        if (words.empty() || words.front().starts_with('#')) continue;
        if (words.size() > 1 || !is_postgres_url(words.front()))
            throw Error(Code::configuration, file + ", line " + std::to_string(number) +
                                                 ": write one address, such as postgres://USER@HOST/DATABASE");
        addresses.push_back(words.front());
    }
    if (addresses.empty()) throw Error(Code::configuration, file + " names no database: write an address in each line");
    return addresses;
}
std::string shown_store(const std::string& name) {
    const auto shown_file = [](const std::string& file) {
        return std::filesystem::absolute(file).lexically_normal().string();
    };
    if (is_store_file(name)) return shown_file(name);
    if (name.starts_with('@')) return '@' + shown_file(name.substr(1));
    std::string shown;
    for (const auto& address : words_of(name)) shown += (shown.empty() ? "" : " ") + shown_postgres_url(address);
    return shown;
}
}
