// Callers and faults come at random times for some minutes. Then the faults stop, and the runs have time to end.
#include "tests/simulation/history.hpp"
#include "tests/simulation/callers.hpp"
#include "tests/simulation/clients.hpp"
#include "tests/simulation/file_store.hpp"
#include "tests/simulation/strays.hpp"

namespace simulation {
using namespace storage;
using namespace std::chrono_literals;
namespace {
constexpr std::size_t most_databases = 5;
constexpr std::uint64_t most_events = 5'000'000;  // a usual history has 50 000
constexpr auto longest_heartbeat = 3s;            // until a late answer has come
class History {
public:
    History(std::uint64_t seed, const std::set<std::uint64_t>& skips)
        : world_(seed),
          skips_(skips),
          is_in_file_(world_.happens(100)),
          store_(world_, is_in_file_ || world_.happens(600) ? 1 : 2 + world_.below(3), make_file()),
          ledger_(world_, store_),
          callers_(world_, ledger_, store_),
          schedules_(world_, ledger_, callers_.machine(), callers_.link(), store_),
          strays_(world_, ledger_, store_),
          told_(world_, ledger_, store_),
          clients_(world_, ledger_) {
        const auto count = std::uint32_t(store_.all().size());
        ledger_.limits.queue = "narrow";
        ledger_.limits.running = count + std::uint32_t(world_.below(3));
        ledger_.limits.per = "value.tenant";
        if (world_.happens(500)) ledger_.limits.running_per_key = count + std::uint32_t(world_.below(2));
        store_.set_limits(ledger_.limits, [](const std::exception_ptr&, bool) {});
        for (auto n = 1 + world_.below(3); n > 0; --n)
            graphs_.push_back(draw_graph(world_, "g" + std::to_string(n), 2 + unsigned(world_.below(14)), 1));
        lease_ = 600ms + world_.up_to(3s);
        processes_.resize(is_in_file_ ? 1 : 1 + world_.below(4));
        for (std::size_t i = 0; i < processes_.size(); ++i) builds_.push_back(i == 0 ? graphs_ : draw_build());
        for (auto& process : processes_) boot(process);
    }
    Verdict play() {
        const auto end = world_.now() + 20s + world_.up_to(60s);
        while (world_.now() < end) {
            world_.run_until(world_.now() + world_.up_to(1500ms));
            act();
            check();
        }
        heal();
        come_to_rest();
        const auto limit = world_.now() + 30min;
        while (!is_over(limit) && !(all_ended() && schedules_.come_to_rest())) {
            for (int n = 0; n < 10; ++n) {  // runs that park in the meantime
                callers_.answer_all();
                go_on(500ms);
            }
        }
        serve_all();
        schedules_.judge();
        while (!is_over(limit) && !schedules_.have_ended()) go_on(5s);
        if (world_.now() >= limit && !schedules_.have_ended()) ledger_.fault("a removed schedule does not end");
        judge();
        processes_.clear();
        callers_.machine().stop();  // before the schedules, which its coroutines use
        ledger_.counts.events = world_.events();
        ledger_.counts.runs = ledger_.runs.size();
        return {ledger_.faults, ledger_.counts, world_.trace(), states_, number_, journal_};
    }

private:
    using Slot = std::unique_ptr<Process>;
    std::unique_ptr<Store> make_file() {
        if (!is_in_file_) return nullptr;
        auto file = std::make_unique<FileStore>(world_, [this] {
            auto& slot = processes_.front();
            if (!slot) return;
            slot->machine().pause_until(Clock::Time::max());
            world_.after(Duration(0), [this, &slot, name = slot->name()] {
                if (slot && slot->name() == name) crash(slot, world_.up_to(8s));
            });
        });
        file_ = file.get();
        return file;
    }
    /// A file has no connection that breaks, and its disk fails instead.
    void disturb_file(std::uint64_t a, std::uint64_t b) {
        const auto write = int(a % 60);
        note("the " + std::string(b % 2 ? "disk" : "power") + " fails after " + std::to_string(write) + " writes");
        told_.has_outage("", 30s);
        if (b % 2) file_->fail_at(write);
        else file_->lose_power_at(write);
        ++ledger_.counts.cuts;
    }
    void check() {
        if (world_.events() > most_events && ledger_.faults.empty()) ledger_.fault("something goes on without end");
        ledger_.check_mail();
        strays_.check(processes_);
        clients_.serve(processes_);
        store_.list({}, [&](const std::exception_ptr&, const std::vector<RunRow>& rows) {
            for (const auto& row : rows) states_.insert(state_of(row, processes_));
        });
    }
    /// A history that has broken a promise need not end.
    bool is_over(Clock::Time limit) const { return world_.now() >= limit || !ledger_.faults.empty(); }
    void go_on(Duration time) {
        world_.run_until(world_.now() + time);
        check();
    }
    /// The workflows of a build: some as in the first build, some with another declaration, and some are missing.
    Graphs draw_build() {
        Graphs build;
        const bool is_other = world_.happens(400);
        for (const auto& graph : graphs_) {
            if (world_.happens(100)) continue;
            std::optional<std::size_t> renamed;
            if (world_.happens(500)) renamed = world_.below(graph->steps.size());
            build.push_back(is_other ? another_build(*graph, renamed) : graph);
        }
        return build;
    }
    const Graphs& build_of(const Slot& slot) const { return builds_[std::size_t(&slot - processes_.data())]; }
    void boot(Slot& slot) {
        Process::Setup setup;
        setup.name = "p" + std::to_string(++boots_);
        setup.lease = lease_;
        setup.snapshot_every = std::uint32_t(std::vector{0, 1, 4, 256}[world_.below(4)]);
        if (world_.happens(200))
            setup.date_difference = std::chrono::microseconds(std::int64_t(world_.below(4'000'000)) - 2'000'000);
        if (world_.happens(100)) setup.date_difference += std::chrono::hours(world_.below(3));
        if (is_in_file_) setup.date_difference = {};  // the store has the date of its machine
        setup.schedules = &schedules_;
        slot = std::make_unique<Process>(world_, store_, ledger_, told_, build_of(slot), setup);
        for (const auto& each : store_.all()) slot->disturb_until(each->disk.full_until);
        for (const auto& link : slot->links()) link->on_moving([this](const std::string& run) { send_to_moving(run); });
    }
    void serve_all() {
        const auto limit = world_.now() + 5min;
        while (!is_over(limit) && !clients_.have_all()) go_on(1s);
        clients_.judge();
        told_.judge();
    }
    void note(const Slot& slot, const std::string& what) {
        note("process " + std::to_string(&slot - processes_.data()) + ' ' + what);
    }
    void note(const std::string& what) {
        const auto at = std::chrono::duration<double>(world_.now().time_since_epoch() - 24h).count();
        journal_.push_back("#" + std::to_string(number_) + " at " + std::to_string(at) + " s: " + what);
    }
    /// One event from outside. A skipped one draws the same numbers.
    void act() {
        ++number_;
        const bool skips = skips_.contains(number_);
        const auto kind = world_.below(100), process = world_.below(processes_.size()), a = world_.below(1 << 20),
                   b = world_.below(1 << 20);
        if (skips) return;
        auto& slot = processes_[process];
        if (is_in_file_ && kind >= 78 && kind < 89) return disturb_file(a, b);
        if (kind < 35) return start(slot, a, b);
        if (kind < 45) return callers_.answer_all();
        if (kind < 55) return ledger_.runs.empty() ? void() : signal(*chosen(a), 1 + b % 2);
        if (kind < 58) return cancel(a);
        if (kind < 70) return crash(slot, Duration(std::int64_t(a) * 8'000));
        if (kind < 78) return pause(slot, Duration(std::int64_t(a) * 8'000));
        if (kind < 85) return cut(slot, Duration(std::int64_t(a) * 6'000));
        if (kind < 89)
            return b % 4 == 3 ? disturb_caller(Duration(std::int64_t(a) * 6'000))
                              : disturb(slot, b % 4, Duration(std::int64_t(a) * 6'000));
        if (kind < 92) return leave(slot);
        if (kind < 94) return jump(slot, a);
        if (kind == 94 && a % 2 == 0) return grow();
        if (kind < 95) return fill_disk(b, Duration(std::int64_t(a) * 6'000));
        if (const auto what = schedules_.act(a, b); !what.empty()) note(what);
    }
    void start(Slot& slot, std::uint64_t a, std::uint64_t b) {
        if (!slot || slot->is_leaving() || ledger_.runs.size() >= 12) return;
        const auto& build = build_of(slot);
        if (build.empty()) return;
        const auto& graph = build[a % build.size()];
        const auto key = "k" + std::to_string(b % 16);
        const auto id = graph->name + ":" + key;
        RunOptions options;
        options.key = key;
        options.values.text = R"({"tenant":"t)" + std::to_string(b % 2) + "\"}";
        if (b % 4 == 3) options.queue = ledger_.limits.queue;  // only claims keep to its limits
        if (b % 4 == 3 || a / 8 % 8 == 0) options.detached = true;
        if (a / 64 % 8 == 0)
            options.not_before = WallTime(std::chrono::microseconds(world_.microseconds() + std::int64_t(b * 10)));
        const bool is_new = !ledger_.runs.contains(id);
        if (is_new) clients_.add(id);
        auto& facts = ledger_.runs[id];
        // Without an answer of the store, an engine compares the time with the date of its machine.
        const bool has_time = options.not_before && std::chrono::abs(slot->clock().difference) <= 2s;
        const auto not_before = has_time ? options.not_before->time_since_epoch().count() : 0;
        facts.not_before = is_new ? not_before : std::min(facts.not_before, not_before);  // either start may be first
        facts.graph = *std::ranges::find(graphs_, graph->name, [](const auto& each) { return each->name; });
        facts.value = b % 16;
        facts.tenant = "t" + std::to_string(b % 2);
        note(slot, "starts " + id + (options.detached ? ", detached" : "") + (options.not_before ? ", for later" : ""));
        slot->start(graph, facts.value, options, [this, id](const std::exception_ptr& error) {
            if (!error) ledger_.runs[id].is_acknowledged = true;
        });
    }
    /// Sends mail that may reach the store before the call that parks or loads the run.
    void send_to_moving(const std::string& id) {
        if (is_at_rest_ || !world_.happens(200) || !ledger_.runs.contains(id)) return;
        if (world_.happens(500)) callers_.answer(id);
        else if (!is_healed_) signal(id, 1);
    }
    const std::string* chosen(std::uint64_t a) {
        if (ledger_.runs.empty()) return nullptr;
        return &std::next(ledger_.runs.begin(), std::ptrdiff_t(a % ledger_.runs.size()))->first;
    }
    void signal(const std::string& id, std::uint64_t times) {
        if (const auto number = callers_.signal(id, times)) note("a signal " + std::to_string(*number) + " to " + id);
    }
    void cancel(std::uint64_t a) {
        const auto* id = chosen(a);
        if (!id) return;
        note("somebody cancels " + *id);
        callers_.cancel(*id);
    }
    void boot_later(Slot& slot, Duration pause) {
        world_.after(pause, [this, &slot] {
            if (!slot) boot(slot);
        });
    }
    void crash(Slot& slot, Duration outage) {
        if (!slot) return;
        note(slot, "dies");
        ++ledger_.counts.crashes;
        slot.reset();
        boot_later(slot, outage);
    }
    void pause(Slot& slot, Duration time) {
        if (!slot) return;
        note(slot, "stands still for " + in_seconds(time));
        ++ledger_.counts.pauses;
        slot->machine().pause_until(world_.now() + time);
        slot->disturb_until(world_.now() + time);
        told_.has_pause(slot->name(), time);
    }
    void cut(Slot& slot, Duration time) {
        if (!slot) return;
        ++ledger_.counts.cuts;
        const auto& links = slot->links();
        const auto one = std::uint64_t(time.count()) / 1000 % (links.size() + 1);  // after the last one: all
        const bool is_all = one == links.size() || links.size() == 1;
        const bool is_late = time.count() / 6000 % 3 == 0;
        if (is_late) time += longest_heartbeat;
        note(slot, "is cut off " + std::string(is_late ? "after a late heartbeat " : "") +
                       (is_all ? "" : "from database " + std::to_string(one) + " ") + "for " + in_seconds(time));
        for (std::size_t i = 0; i < links.size(); ++i) {
            if (!is_all && i != one) continue;
            if (is_late) links[i]->cut_after_heartbeat(world_.now() + time);
            else links[i]->cut_until(world_.now() + time);
        }
        slot->disturb_until(world_.now() + time);
        told_.has_outage(slot->name(), time);
    }
    void disturb(Slot& slot, std::uint64_t of, Duration time) {
        if (!slot || is_in_file_) return;
        using enum Link::CallKind;
        const auto [kind, name] = std::vector<std::pair<Link::CallKind, const char*>>{
            {other, "calls"}, {parking, "parkings"}, {claim, "claims"}}[of];
        note(slot, std::string("loses single ") + name + " for " + in_seconds(time));
        for (const auto& link : slot->links()) link->lose_until(world_.now() + time, kind);
        slot->disturb_until(world_.now() + time);
        told_.has_outage(slot->name(), time);
    }
    void disturb_caller(Duration time) {
        note("the callers lose single calls for " + in_seconds(time));
        callers_.link().lose_until(world_.now() + time, Link::CallKind::other);
    }
    void leave(Slot& slot) {
        if (!slot || slot->is_leaving()) return;
        note(slot, "leaves");
        ++ledger_.counts.leaves;
        slot->leave();
        world_.after(2s, [this, &slot, leaving = slot.get()] {
            if (slot.get() != leaving) return;
            slot.reset();
            boot_later(slot, 1s);
        });
    }
    void jump(Slot& slot, std::uint64_t a) {
        if (!slot || is_in_file_) return;
        note(slot, "has another date");
        slot->clock().difference += std::chrono::seconds(std::int64_t(a % 7200) - 3600);
    }
    /// All processes start anew with a further database.
    void grow() {
        if (is_in_file_ || store_.all().size() == most_databases) return;
        note("the store grows to " + std::to_string(store_.all().size() + 1) + " databases");
        for (auto& slot : processes_) {
            slot.reset();
            boot_later(slot, 1s);
        }
        store_.grow();
        const auto count = std::uint32_t(store_.all().size());  // no database's share shrinks
        ledger_.limits.running = 3 * count;
        if (ledger_.limits.running_per_key) ledger_.limits.running_per_key = 2 * count;
        store_.set_limits(ledger_.limits, [](const std::exception_ptr&, bool) {});
    }
    void fill_disk(std::uint64_t which, Duration time) {
        const auto number = which % store_.all().size();
        auto& disk = store_.all()[number]->disk;
        note("the disk of database " + std::to_string(number) + " is full for " + in_seconds(time));
        disk.full_until = world_.now() + time;
        told_.has_outage("", time);
        for (auto& slot : processes_)
            if (slot) slot->disturb_until(disk.full_until);
    }
    void heal() {
        world_.run_until(world_.now() + 11s);  // pauses, cuts and outages end
        for (auto& slot : processes_)
            if (!slot) boot(slot);
        for (auto& slot : processes_) disturb(slot, world_.below(3), 3s);  // and no crash corrects what these lose
        callers_.answer_all();
        world_.run_until(world_.now() + 5s);
        note("the faults stop");
        is_healed_ = true;
    }
    /// Without answers, the runs come to rest: each one ends or waits.
    void come_to_rest() {
        const auto limit = world_.now() + 10min;
        is_at_rest_ = true;
        const auto is_busy = [this](const auto& each) { return ledger_.is_busy(each.first); };
        while (!is_over(limit) && std::ranges::any_of(ledger_.runs, is_busy)) go_on(1s);
        for (const auto& each : ledger_.runs)
            if (is_busy(each)) ledger_.fault("the run " + each.first + " does not come to rest without answers");
        ledger_.check_signals();
        is_at_rest_ = false;
    }
    bool all_ended() {
        for (const auto& [id, facts] : ledger_.runs) {
            const auto row = ledger_.row(id);
            if (row.id.empty() ? facts.is_acknowledged : !has_ended(row.status)) return false;
        }
        return true;
    }
    void judge() {
        for (const auto& [id, facts] : ledger_.runs) {
            const auto row = ledger_.row(id);
            if (row.id.empty()) {
                if (facts.is_acknowledged)
                    ledger_.fault("the run " + id + " is lost, although its caller had an answer");
                continue;
            }
            if (!facts.is_cancelled) compare(ledger_, id, *facts.graph, facts.value, row);
            if (!has_ended(row.status))
                ledger_.fault("the run " + id + " does not end: it is " + std::to_string(int(row.status)) +
                              ", waits for " + row.waits_for);
        }
    }

    World world_;
    const std::set<std::uint64_t> skips_;
    const bool is_in_file_;      // else several processes share a store
    FileStore* file_ = nullptr;  // of the store, if it is one
    Databases store_;
    Ledger ledger_;
    Callers callers_;
    ScheduleSet schedules_;
    StrayRuns strays_;
    ToldEvents told_;
    EventClients clients_;
    Graphs graphs_;
    std::vector<Slot> processes_;
    std::vector<Graphs> builds_;  // by process; a process that boots again has the same
    Duration lease_{};
    std::vector<std::string> journal_;
    std::set<std::uint64_t> states_;
    bool is_healed_ = false, is_at_rest_ = false;
    std::uint64_t number_ = 0, boots_ = 0;
};
}
Verdict play(std::uint64_t seed, const std::set<std::uint64_t>& skips) { return History(seed, skips).play(); }
}
