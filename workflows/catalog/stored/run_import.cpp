// Reads the file twice: to check all of it, and to store it, with one run at a time in memory. The sums reveal changes
// between both passes.
#include "engine/core/loop/random.hpp"
#include "engine/error.hpp"
#include "engine/journal/format.hpp"
#include "engine/json.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/rules.hpp"
#include "engine/text/hex.hpp"
#include "engine/text/read_line.hpp"
#include "workflows/catalog/stored/run_file.hpp"
#include "workflows/catalog/stored/run_lines.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include <istream>
#include <limits>
#include <map>
#include <set>
#include <type_traits>

namespace weft::catalog {
using namespace storage;
namespace {
using nlohmann::json;

constexpr std::size_t longest_line = 256u << 20;
constexpr std::uint64_t most_ticks = 100'000, most_mail = 100'000;
constexpr std::uint64_t highest_tick = std::uint64_t{1} << 53;  // the number of a run that has begun again
}

class RunFile::FileReader {
public:
    FileReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
        const auto head = object();
        const auto version = head.find("weft_export");
        if (version == head.end()) refuse("is not the first line of an export of weft");
        if (*version != lines::version)
            refuse("says version " + version->dump() + ", and this weft reads version " +
                   std::to_string(lines::version));
    }
    std::optional<RunRecord> next() {
        const auto head = object();
        if (const auto end = head.find("end"); end != head.end()) {
            if (*end != runs_) refuse("gives another number of runs than the file has");
            if (in_.peek() != std::istream::traits_type::eof()) refuse_next("comes after the end of the export");
            return std::nullopt;
        }
        ++runs_;
        return read("is not the line of a run", [&] { return run(from_json<lines::ExportedRun>(head, "line")); });
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw Error(Code::configuration, name_ + ": line " + std::to_string(number_) + ' ' + what);
    }
    [[noreturn]] void refuse_next(const std::string& what) {
        ++number_;
        refuse(what);
    }
    template <class Read> std::invoke_result_t<Read> read(const std::string& what, Read parse) const {
        try {
            return parse();
        } catch (const Error& error) {
            if (error.code() != Code::bad_json) throw;
            refuse(what + ": " + error.what());
        }
    }
    std::string line() {
        ++number_;
        std::string line;
        switch (read_line(in_, line, longest_line)) {
        case LineEnd::newline: return line;
        case LineEnd::too_long: refuse("is longer than 256 MB");
        case LineEnd::unreadable: refuse("cannot be read");
        case LineEnd::file_end: break;
        }
        refuse(line.empty() ? "is missing: the file was cut off before its end"
                            : "is cut off: the file was not written to its end");
    }
    json object() {
        const auto text = sums_.checked(line());
        if (text.empty())
            refuse(number_ == 1 ? "is not the first line of an export of weft"
                                : "is damaged, or a line before it is missing: its sum does not fit");
        return read("is damaged", [&] { return parse_json(text, {.bytes = longest_line}); });
    }
    std::string body_of(const json& line) const {
        const auto body = line.find("body");
        if (body == line.end() || !body->is_string()) refuse("has no body");
        return body->get<std::string>();
    }
    RunRecord run(const lines::ExportedRun& line) {
        auto& row = line.run;
        if (row.id.empty() || line.plans.empty() || line.plans.front().workflow.empty())
            refuse("is a run without an id or without its workflow");
        if (!storage::can_be_run_id(row.id)) refuse("is a run whose id has control characters, which no id has");
        if (line.ticks == 0 || line.ticks > most_ticks || line.mail > most_mail)
            refuse("says that run " + row.id + " has " + std::to_string(line.ticks) + " ticks and " +
                   std::to_string(line.mail) + " unread messages, which no run has");
        if (has_ended(row.status))
            read("has no outcome", [&] { return parse_json(row.outcome, {.bytes = longest_line}); });
        RunRecord filed;
        for (auto& plan : line.plans) {
            if (plan.workflow != line.plans.front().workflow) refuse("has plans of several workflows");
            filed.plans.push_back({plan.hash, plan.workflow, plan.plan});
        }
        auto& run = filed.history.run = lines::common_fields<RunRow>(row);
        run.wake_at = row.not_before;
        run.workflow = filed.plans.back().workflow;
        run.hash = filed.plans.back().hash;
        read_lists(line, filed.history);
        run.next_seq = filed.history.ticks.back().seq + 1;
        return filed;
    }
    void read_lists(const lines::ExportedRun& line, History& history) {
        std::uint64_t before = 0, first = 0;
        for (std::uint64_t i = 0; i < line.ticks; ++i) {
            const auto tick = object();
            const auto number = tick.value("tick", json());
            if (i == 0 && number.is_number_unsigned()) first = std::min(number.get<std::uint64_t>(), highest_tick);
            const auto n = first + i;
            if (number != n) refuse("is not tick " + std::to_string(n));
            StoredTick stored{n, body_of(tick), 0};
            stored.sum = before = chained_sum(before, n, stored.body);
            read("is not a tick", [&] { return journal::read_record(stored.body).index(); });
            history.ticks.push_back(std::move(stored));
        }
        for (std::uint64_t n = 0; n < line.mail; ++n) {
            const auto mail = object();
            if (!mail.contains("mail") || !mail["mail"].is_string()) refuse("is not a message to the run");
            history.mail.push_back({line.run.id, mail["mail"].get<std::string>(), body_of(mail)});
        }
        if (!line.snapshot) return;
        const auto snapshot = object();
        const auto upto = snapshot.find("snapshot");
        if (upto == snapshot.end() || !upto->is_number_unsigned() || *upto > history.ticks.back().seq + 1)
            refuse("is not a snapshot");
        auto& of = history.snapshot.emplace(Snapshot{upto->get<std::uint64_t>(), body_of(snapshot), 0});
        of.sum = chained_sum(0, of.upto, of.body);
    }

    std::istream& in_;
    const std::string name_;
    lines::Sums sums_;
    std::uint64_t number_ = 0, runs_ = 0;
};
RunFile::RunFile(std::istream& in, std::string name) : reader_(std::make_unique<FileReader>(in, std::move(name))) {}
RunFile::~RunFile() = default;
std::optional<RunRecord> RunFile::next() { return reader_->next(); }

namespace {
void append_to(Store& store, Batch batch) {
    const auto id = batch.run;
    const auto answer = storage::answer_of<AppendReply>(
        [&](auto then) { store.append(std::move(batch), std::move(then)); });
    if (answer != AppendReply::stored)
        throw Error(Code::journal, "run " + id + " was taken by another engine during its import");
}
Batch batch_of(const History& history) { return {.run = history.run.id, .epoch = 1, .seq = history.run.next_seq}; }
/// Stores the parts that create() does not.
void complete(Store& store, const RunRecord& filed) {
    auto& [history, plans] = filed;
    for (std::size_t i = 1; i < plans.size(); ++i) {
        auto batch = batch_of(history);
        batch.plan = plans[i];
        append_to(store, std::move(batch));
    }
    for (auto& mail : history.mail)
        storage::answer_of<SendReply>([&](auto then) { store.send(mail, std::move(then)); });
    auto last = batch_of(history);
    last.snapshot = history.snapshot;
    last.waits_for = history.run.waits_for;
    const bool ended = has_ended(history.run.status);
    const auto unfinished = history.run.wake_at ? RunStatus::waiting : RunStatus::ready;
    last.left = RunRelease{.status = ended ? history.run.status : unfinished,
                           .wake_at = history.run.wake_at,
                           .outcome = history.run.outcome,
                           .mail = history.mail.size()};
    append_to(store, std::move(last));
}
/// Deletes an incomplete run, so that the import can be repeated. On failure a ready run without its mail remains.
void remove(Store& store, const History& history) {
    try {
        auto end = batch_of(history);
        end.left = RunRelease{.status = RunStatus::cancelled, .outcome = R"({"event":"RunCancelledEvent","data":{}})"};
        append_to(store, std::move(end));
        const Filter only{.ids = {history.run.id}};
        storage::answer_of<std::uint64_t>([&](auto then) { store.prune(only, std::move(then)); });
    } catch (const std::exception&) {}  // the first error is reported instead
}
/// The owner of the runs while they are stored. In a shared store it has a lease: without one, the next heartbeat of
/// any engine makes its runs ready, and a worker executes a run without its mail.
class ImportOwner {
public:
    ImportOwner(Store& store, const Import::SetClock& set_clock) : store_(store), set_clock_(set_clock) {}
    ImportOwner(const ImportOwner&) = delete;
    ~ImportOwner() {
        try {
            beat(0);
        } catch (const std::exception&) {}  // the lease expires
    }
    const std::string& id() const { return id_; }
    /// Lets the lease last for the next run.
    void renew(const std::string& next) {
        if (!beat(60'000))
            throw Error(Code::journal,
                        "the import stood still for a minute: run " + next + " and those after it were not imported");
    }

private:
    bool beat(std::int64_t lease_ms) {
        if (!store_.is_shared()) return true;
        set_clock_(storage::wall_microseconds());  // the store may have the date of the last run
        Heartbeat sign{.id = id_, .lease_ms = lease_ms, .info = {}};
        return storage::answer_of<HeartbeatReply>(
                   [&](auto then) { store_.heartbeat(std::move(sign), std::move(then)); })
            .alive;
    }
    Store& store_;
    const Import::SetClock& set_clock_;
    const std::string id_ = "import-" + hex(core::draw_seed());
};
void put_run(Store& store, const std::string& owner, const RunRecord& filed, const Import::SetClock& set_clock) {
    auto& run = filed.history.run;
    NewRun made{.id = run.id,
                .start_key = run.start_key,
                .plan = filed.plans.front(),
                .options = run.options,
                .forked_from = run.forked_from,
                .queue = run.queue,
                .priority = run.priority,
                .owner = owner,
                .ticks = filed.history.ticks};
    const auto now = storage::wall_microseconds();
    const auto until_now = [now](std::int64_t at) { return at > 0 && at < now ? at : now; };
    set_clock(until_now(run.created_at));
    storage::answer_of<CreateReply>([&](auto then) { store.create(std::move(made), std::move(then)); });
    set_clock(until_now(run.updated_at));
    try {
        complete(store, filed);
    } catch (...) {
        remove(store, filed.history);
        throw;
    }
}

/// The keys of a store's runs, by their workflow.
class StartKeys {
public:
    explicit StartKeys(Store& store) : store_(store) {}
    bool has(const RunRow& run) { return of(run.workflow).contains(run.start_key); }

private:
    std::set<std::string>& of(const std::string& workflow) {
        auto [at, is_new] = keys_.try_emplace(workflow);
        if (!is_new) return at->second;
        constexpr std::size_t all = std::numeric_limits<std::int32_t>::max();
        for (auto& row : rows_of(store_, {.workflows = {workflow}, .most = all}))
            if (!row.start_key.empty()) at->second.insert(row.start_key);
        return at->second;
    }
    Store& store_;
    std::map<std::string, std::set<std::string>> keys_;
};
[[noreturn]] void refuse_key(const RunRow& run, const std::string& file) {
    throw Error(Code::usage, "another run of " + run.workflow + " has the key " + run.start_key + ", as run " + run.id +
                                 " of " + file + " has: nothing was imported");
}
void check_none_is_there(Store& store, const std::vector<RunRow>& runs, const std::string& file) {
    StartKeys keys(store);
    for (auto& run : runs) {
        if (!rows_of(store, {.ids = {run.id}}).empty())
            throw Error(Code::usage, "the store has a run " + run.id + " already: nothing was imported");
        if (!run.start_key.empty() && keys.has(run)) refuse_key(run, file);
    }
}
}

Import::Import(std::istream& in, std::string file) : in_(in), file_(std::move(file)), begin_(in.tellg()) {
    std::set<std::string> ids;
    std::set<std::pair<std::string, std::string>> keys;
    for (RunFile checked(in, file_); auto filed = checked.next();) {
        auto& run = filed->history.run;
        if (!ids.insert(run.id).second) throw Error(Code::configuration, file_ + " has the run " + run.id + " twice");
        if (!run.start_key.empty() && !keys.emplace(run.workflow, run.start_key).second) refuse_key(run, file_);
        runs_.push_back({.id = run.id, .workflow = run.workflow, .start_key = run.start_key});
    }
}
std::vector<std::string> Import::into(Store& store, const SetClock& set_clock) {
    check_none_is_there(store, runs_, file_);
    in_.clear();
    in_.seekg(begin_);
    std::vector<std::string> ids;
    const SetClock set = set_clock ? set_clock : [](std::int64_t) {};
    ImportOwner owner(store, set);
    for (RunFile runs(in_, file_); auto filed = runs.next();) {
        owner.renew(filed->history.run.id);
        put_run(store, owner.id(), *filed, set);
        ids.push_back(filed->history.run.id);
    }
    return ids;
}
}
