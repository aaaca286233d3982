// `weft prune`, `weft export` and `weft import`: delete runs, and copy them between stores. Standard input cannot be
// read twice, so an import first copies it to an unnamed file.
#include "engine/storage/answer.hpp"
#include "engine/store/damaged.hpp"
#include "engine/store/rules.hpp"
#include "engine/store_reply.hpp"
#include "engine/text/iso_time.hpp"
#include "workflows/catalog/stored/inbox.hpp"
#include "workflows/catalog/stored/run_file.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <system_error>
#include <unistd.h>

namespace weft::driver {
using namespace storage;
namespace {
constexpr std::size_t all_of_them = std::numeric_limits<std::int32_t>::max();

std::string runs_of(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " run" : " runs"); }

// ----- prune

/// Whether the run must be ended before its deletion: it is damaged, or no engine has taken its cancellation, for
/// example because its workflow no longer exists. Throws Error{usage} for a run that can continue.
bool has_to_be_ended(Store& store, const std::string& id, bool damaged_ones_too) {
    std::string damage;
    try {
        if (has_ended(catalog::find_run(store, id).status)) return false;
        catalog::check_readable(store, id);
        if (catalog::is_to_be_cancelled(store, id)) return true;
    } catch (const storage::DamagedError& error) { damage = error.what(); }
    if (damage.empty())
        throw Error(Code::usage, "run " + id + " has not ended" + (damaged_ones_too ? ", and is not damaged" : "") +
                                     ": end it by `weft cancel` before you delete it");
    if (!damaged_ones_too) throw Error(Code::usage, damage + "; --damaged deletes the rest");
    return true;
}
void end_run(Store& store, const std::string& id) try {
    if (!wait_for(end_unowned(store, id)))
        throw Error(Code::usage, "run " + id + " is in use, or has just ended: try again");
} catch (const storage::DamagedError&) {}  // not even its row can be read: delete it without ending it
std::uint64_t remove_all(Store& store, Filter filter) {
    filter.most = 1000;  // maximum of a transaction
    for (std::uint64_t gone = 0;;) {
        const auto n = storage::answer_of<std::uint64_t>([&](auto then) { store.prune(filter, std::move(then)); });
        gone += n;
        if (n < filter.most) return gone;
    }
}
void say_pruned(std::uint64_t n, bool dry_run) { say(runs_of(n) + (dry_run ? " would go" : " went")); }

ExitCode prune_one(const Choices& choices) {
    auto opened = visit_store(choices);
    const auto id = catalog::find_id(*opened.store, choices.stored.run);
    const bool goes_on = has_to_be_ended(*opened.store, id, choices.stored.damaged);
    if (choices.stored.dry_run) {
        say_pruned(1, true);
        return ExitCode::ok;
    }
    if (goes_on) {
        opened = catalog::open_store(store_name(choices), SqliteAccess::engine);
        end_run(*opened.store, id);
    }
    say_pruned(remove_all(*opened.store, {.ids = {id}}), false);
    return ExitCode::ok;
}
ExitCode prune_old(const Choices& choices) {
    const auto opened = visit_store(choices);
    const auto time = storage::wall_microseconds() - choices.stored.older_than->count() * 1'000'000;
    Filter filter{.statuses = ended_statuses(), .updated_before = time};
    std::uint64_t n = 0;
    if (choices.stored.dry_run) {
        filter.most = all_of_them;
        n = catalog::rows_of(*opened.store, filter).size();
    } else n = remove_all(*opened.store, filter);
    if (n == 0) note("no run in " + named_store(choices) + " ended before " + utc(time));
    say_pruned(n, choices.stored.dry_run);
    return ExitCode::ok;
}
ExitCode prune_store(const Choices& choices) {
    const auto& chosen = choices.stored;
    if (!chosen.run.empty()) return prune_one(choices);
    if (chosen.damaged) throw Error(Code::usage, "--damaged needs --run RUN: give the id of the damaged run");
    if (chosen.older_than) return prune_old(choices);
    store_name(choices);
    throw Error(Code::usage, "choose the runs to delete: --older-than 30d, or --run RUN");
}

// ----- export, import

ExitCode export_store(const Choices& choices) {
    const auto opened = visit_store(choices);
    std::vector<std::string> ids;
    for (auto& name : choices.stored.runs) ids.push_back(catalog::find_id(*opened.store, name));
    if (ids.empty())
        for (auto& row : catalog::list_runs(*opened.store, {.most = all_of_them}, opened.has_engine({})))
            ids.push_back(row.id);
    if (ids.empty()) note("there are no runs in " + named_store(choices));
    const auto left_out = catalog::export_runs(*opened.store, ids,
                                               [](std::string_view line) { say_trusted(std::string(line) + '\n'); });
    for (auto& sentence : left_out) complain(sentence);
    return left_out.empty() ? ExitCode::ok : ExitCode::failed;
}

[[noreturn]] void refuse_file(const std::string& name, const std::string& why) {
    throw Error(Code::configuration, "the file " + name + " cannot be read: " + why);
}
/// A path of the open file, which has been removed from its folder.
class UnlinkedCopy {
public:
    explicit UnlinkedCopy(int from) : file_(std::tmpfile()) {
        if (!file_) refuse_copy();
        char part[64 << 10];
        for (;;) {
            const auto n = ::read(from, part, sizeof part);
            if (n < 0) refuse_file("-", "standard input is closed or is a folder");
            if (n == 0) break;
            if (std::fwrite(part, 1, std::size_t(n), file_.get()) != std::size_t(n)) refuse_copy();
        }
        if (std::fflush(file_.get()) != 0) refuse_copy();
    }
    std::string path() const { return "/proc/self/fd/" + std::to_string(::fileno(file_.get())); }

private:
    [[noreturn]] static void refuse_copy() {
        refuse_file("-", "its copy among the temporary files cannot be written: " +
                             std::generic_category().message(errno) + "; give the name of the file in place of -");
    }
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, CloseFile> file_;
};
ExitCode import_store(const Choices& choices) {
    const auto& name = choices.stored.file;
    std::optional<UnlinkedCopy> copy;
    if (name == "-") copy.emplace(STDIN_FILENO);
    std::error_code none;
    if (!copy && !std::filesystem::is_regular_file(name, none))
        refuse_file(name, std::filesystem::exists(name, none) ? "it is not a file" : "there is no such file");
    std::ifstream in(copy ? copy->path() : name, std::ios::binary);
    if (!in) refuse_file(name, "check its permissions");
    const auto store = store_name(choices);
    catalog::Import import(in, copy ? "standard input" : name);
    const auto clock = std::make_shared<std::atomic<std::int64_t>>(storage::wall_microseconds());
    const auto opened = catalog::open_store(store, SqliteAccess::engine, [clock] { return clock->load(); });
    const auto ids = import.into(*opened.store, [clock](std::int64_t time) { *clock = time; });
    note(runs_of(ids.size()) + (ids.size() == 1 ? " was" : " were") + " imported");
    for (auto& id : ids) say(id);
    return ExitCode::ok;
}
constexpr auto prune_examples =
    R"(Deletes only runs that have ended, with all their data. The age of a run counts from its end. A damaged run
cannot end: --damaged deletes the rest. No engine may use a store that is a file meanwhile.

  weft prune --older-than 30d --dry-run --store weft.db
  weft prune --run 4f2a --damaged --store weft.db
)";
constexpr auto export_examples =
    R"(`weft import` reads the output. Damaged runs are left out, with a message and the exit code 5; the output has all
others, and its end.

  weft export --store weft.db > all.jsonl
  weft export 4f2a 77c0 --store weft.db > two.jsonl
)";
constexpr auto import_examples =
    R"(The file comes from `weft export`; - is standard input. All of it is checked before the first run is stored. A
run that had not ended is then ready, and `weft resume` continues it. Runs keep their times.
The command prints their ids. No engine may use a store that is a file; workers of a database take these runs at once.

  weft export --store old.db | weft import - --store new.db
  weft export --store weft.db | weft import - --store postgres://weft@db.example/weft
)";
}

std::vector<DriverCommand> archive_commands() {
    using enum OptionGroup;
    return {
        {"prune", "delete ended runs from a store", {pruning, store}, prune_store, prune_examples},
        {"export",
         "write stored runs to standard output, as lines of JSON; without a RUN all of them",
         {run_ids, store},
         export_store,
         export_examples},
        {"import", "store the runs of an export", {export_file, store}, import_store, import_examples},
    };
}
}
