// `weft prune`, `weft export` and `weft import`: what is kept of a store, here and elsewhere. Standard input cannot be
// read twice, so an import from it goes by way of a file without a name.
#include "engine/error.hpp"
#include "engine/store/rules.hpp"
#include "engine/store_answer.hpp"
#include "workflows/catalog/run_file.hpp"
#include "workflows/catalog/stored_runs.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/store.hpp"
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <unistd.h>

namespace weft::driver {
using namespace storage;
namespace {
constexpr std::size_t all_of_them = std::numeric_limits<std::int32_t>::max();

std::string runs_of(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " run" : " runs"); }

// ----- prune

Filter to_prune(Store& store, const Choices& choices) {
    const auto& chosen = choices.stored;
    Filter filter;
    filter.statuses = {RunStatus::done, RunStatus::failed, RunStatus::timed_out, RunStatus::cancelled};
    if (!chosen.run.empty()) {
        const auto row = catalog::find_run(store, chosen.run);
        if (!has_ended(row.status))
            throw Error(Code::usage, "run " + row.id + " has not ended: `weft cancel` ends it, and then it can go");
        filter.ids = {row.id};
    } else if (chosen.older_than) {
        filter.updated_before = core::wall_microseconds() - chosen.older_than->count() * 1'000'000;
    } else throw Error(Code::usage, "say which runs are to go: --older-than 30d, or --run RUN");
    return filter;
}
std::uint64_t remove_all(Store& store, Filter filter) {
    filter.most = 1000;  // of each transaction
    for (std::uint64_t gone = 0;;) {
        const auto n = storage::answer_of<std::uint64_t>([&](auto then) { store.prune(filter, std::move(then)); });
        gone += n;
        if (n < filter.most) return gone;
    }
}
Exit prune_store(const Choices& choices) {
    const auto opened = visit_store(choices);
    auto filter = to_prune(*opened.store, choices);
    if (choices.stored.dry_run) {
        filter.most = all_of_them;
        const auto rows = storage::answer_of<std::vector<RunRow>>(
            [&](auto then) { opened.store->list(filter, std::move(then)); });
        say(runs_of(rows.size()) + " would go");
    } else say(runs_of(remove_all(*opened.store, filter)) + " went");
    return Exit::ok;
}

// ----- export, import

Exit export_store(const Choices& choices) {
    const auto opened = visit_store(choices);
    std::vector<std::string> ids;
    for (auto& name : choices.stored.runs) ids.push_back(catalog::find_run(*opened.store, name).id);
    if (ids.empty())
        for (auto& row : catalog::list_runs(*opened.store, {.most = all_of_them}, opened.has_engine))
            ids.push_back(row.id);
    catalog::export_runs(*opened.store, ids, [](std::string_view line) { say_trusted(std::string(line) + '\n'); });
    return Exit::ok;
}

[[noreturn]] void refuse_file(const std::string& name, const std::string& why) {
    throw Error(Code::configuration, "the file " + name + " cannot be read: " + why);
}
/// A name of the open file, whose entry in a folder is gone already.
class Copy {
public:
    explicit Copy(int from) : file_(std::tmpfile()) {
        if (!file_) refuse_file("-", "there is no place for a copy of standard input");
        char part[64 << 10];
        for (;;) {
            const auto n = ::read(from, part, sizeof part);
            if (n < 0) refuse_file("-", "standard input is closed, or a folder");
            if (n == 0) break;
            if (std::fwrite(part, 1, std::size_t(n), file_.get()) != std::size_t(n))
                refuse_file("-", "there is no space left for a copy of standard input");
        }
        if (std::fflush(file_.get()) != 0) refuse_file("-", "there is no space left for a copy of standard input");
    }
    std::string path() const { return "/proc/self/fd/" + std::to_string(::fileno(file_.get())); }

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Close> file_;
};
Exit import_store(const Choices& choices) {
    const auto& name = choices.stored.file;
    std::optional<Copy> copy;
    if (name == "-") copy.emplace(STDIN_FILENO);
    std::error_code none;
    if (!copy && !std::filesystem::is_regular_file(name, none))
        refuse_file(name, std::filesystem::exists(name, none) ? "it is no file" : "there is no such file");
    std::ifstream in(copy ? copy->path() : name, std::ios::binary);
    if (!in) refuse_file(name, "check its permissions");
    const auto opened = catalog::open_store(store_name(choices), SqliteAccess::engine);
    const auto ids = catalog::import_runs(*opened.store, in, copy ? "standard input" : name);
    note(runs_of(ids.size()) + (ids.size() == 1 ? " was" : " were") + " imported");
    for (auto& id : ids) say(id);
    return Exit::ok;
}
constexpr auto prune_examples =
    R"(Only runs that have ended go, with all that is theirs. How old a run is counts from its end.

  weft prune --older-than 30d --dry-run --store weft.db
)";
constexpr auto import_examples =
    R"(The file is one that `weft export` has written; - is standard input. All of it is checked before anything is
stored. A run that had not ended is ready then, and `weft resume` goes on with it. The ids of the runs are printed. No
engine may be at work on the store.

  weft export --store old.db | weft import - --store new.db
)";
}

std::vector<Command> archive_commands() {
    using enum Group;
    return {
        {"prune", nullptr, "delete ended runs from a store", {pruning, store}, prune_examples, prune_store},
        {"export",
         nullptr,
         "write stored runs to standard output, as lines of JSON; without a RUN all of them",
         {run_ids, store},
         nullptr,
         export_store},
        {"import", nullptr, "store the runs of an export", {export_file, store}, import_examples, import_store},
    };
}
}
