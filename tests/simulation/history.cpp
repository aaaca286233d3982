// Callers and faults come at random times for some minutes. Then the faults stop, and the runs have time to end.
#include "tests/simulation/history.hpp"
#include "engine/error.hpp"
#include "tests/simulation/process.hpp"
#include <nlohmann/json.hpp>

namespace simulation {
using namespace storage;
using namespace std::chrono_literals;
namespace {
constexpr std::size_t most_databases = 5;
class History {
public:
    History(std::uint64_t seed, const std::set<std::uint64_t>& skips)
        : world_(seed),
          skips_(skips),
          store_(world_, world_.happens(600) ? 1 : 2 + world_.below(3)),
          ledger_(world_, store_),
          caller_(world_),
          callers_link_(caller_, store_, store_.all().front()->disk),
          schedules_(world_, ledger_, caller_, callers_link_, store_) {
        const auto count = std::uint32_t(store_.all().size());
        ledger_.limits.queue = "narrow";
        ledger_.limits.running = count + std::uint32_t(world_.below(3));
        ledger_.limits.per = "value.tenant";
        if (world_.happens(500)) ledger_.limits.running_per_key = count + std::uint32_t(world_.below(2));
        store_.set_limits(ledger_.limits, [](const std::exception_ptr&, bool) {});
        for (auto n = 1 + world_.below(3); n > 0; --n)
            graphs_.push_back(draw_graph(world_, "g" + std::to_string(n), 2 + unsigned(world_.below(14)), 1));
        lease_ = 600ms + world_.up_to(3s);
        processes_.resize(1 + world_.below(4));
        for (auto& process : processes_) boot(process);
    }
    Verdict play() {
        const auto end = world_.now() + 20s + world_.up_to(60s);
        while (world_.now() < end) {
            world_.run_until(world_.now() + world_.up_to(1500ms));
            act();
            ledger_.check_mail();
        }
        heal();
        const auto limit = world_.now() + 30min;
        while (world_.now() < limit && !(all_ended() && schedules_.come_to_rest())) {
            for (int n = 0; n < 10; ++n) {  // runs that park in the meantime
                answer_all();
                world_.run_until(world_.now() + 500ms);
            }
        }
        schedules_.judge();
        while (world_.now() < limit && !schedules_.have_ended()) world_.run_until(world_.now() + 5s);
        if (!schedules_.have_ended()) ledger_.fault("a removed schedule does not end");
        judge();
        processes_.clear();
        caller_.stop();  // before the schedules, which its coroutines use
        Verdict verdict;
        verdict.faults = ledger_.faults;
        verdict.counts = ledger_.counts;
        verdict.counts.events = world_.events();
        verdict.counts.runs = ledger_.runs.size();
        verdict.trace = world_.trace();
        verdict.outside = number_;
        verdict.journal = journal_;
        return verdict;
    }

private:
    using Slot = std::unique_ptr<Process>;
    void boot(Slot& slot) {
        Process::Setup setup;
        setup.name = "p" + std::to_string(++boots_);
        setup.lease = lease_;
        setup.snapshot_every = std::uint32_t(std::vector{0, 1, 4, 256}[world_.below(4)]);
        if (world_.happens(200))
            setup.date_difference = std::chrono::microseconds(std::int64_t(world_.below(4'000'000)) - 2'000'000);
        if (world_.happens(100)) setup.date_difference += std::chrono::hours(world_.below(3));
        setup.schedules = &schedules_;
        slot = std::make_unique<Process>(world_, store_, ledger_, graphs_, setup);
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
        if (kind < 35) return start(slot, a, b);
        if (kind < 45) return answer_all();
        if (kind < 55) return signal(a, b);
        if (kind < 58) return cancel(a);
        if (kind < 70) return crash(slot, Duration(std::int64_t(a) * 8'000));
        if (kind < 78) return pause(slot, Duration(std::int64_t(a) * 8'000));
        if (kind < 85) return cut(slot, Duration(std::int64_t(a) * 6'000));
        if (kind < 88) return disturb(slot, Duration(std::int64_t(a) * 6'000));
        if (kind < 92) return leave(slot);
        if (kind < 94) return jump(slot, a);
        if (kind == 94 && a % 2 == 0) return grow();
        if (kind < 95) return fill_disk(b, Duration(std::int64_t(a) * 6'000));
        if (const auto what = schedules_.act(a, b); !what.empty()) note(what);
    }
    void start(Slot& slot, std::uint64_t a, std::uint64_t b) {
        if (!slot || slot->is_leaving() || ledger_.runs.size() >= 12) return;
        const auto& graph = graphs_[a % graphs_.size()];
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
        auto& facts = ledger_.runs[id];
        // Without an answer of the store, an engine compares the time with the date of its machine.
        const bool has_time = options.not_before && std::chrono::abs(slot->clock().difference) <= 2s;
        const auto not_before = has_time ? options.not_before->time_since_epoch().count() : 0;
        facts.not_before = is_new ? not_before : std::min(facts.not_before, not_before);  // either start may be first
        facts.graph = graph;
        facts.value = b % 16;
        facts.tenant = "t" + std::to_string(b % 2);
        note(slot, "starts " + id + (options.detached ? ", detached" : "") + (options.not_before ? ", for later" : ""));
        slot->start(graph, facts.value, options, [this, id](const std::exception_ptr& error) {
            if (!error) ledger_.runs[id].is_acknowledged = true;
        });
    }
    void send(const std::string& run, const std::string& id, const nlohmann::json& body) {
        const auto text = body.dump();
        const auto again = [this, run, id, body] { send(run, id, body); };
        callers_link_.send({.run = run, .id = id, .body = text, .is_urgent = body.contains("cancel")},
                           [this, again](const std::exception_ptr& error, SendReply) {
                               if (error && code_of(error) == Code::journal) world_.after(1s, again);
                           });
    }
    void send(const std::string& run, std::uint64_t mail, const EventSpec& event, std::uint64_t value) {
        const nlohmann::json cargo{{"value", value}, {"round", 0}, {"from", ""}};
        send(run, "m" + std::to_string(mail), {{"event", event.name}, {"data", {{"cargo", cargo}}}});
    }
    /// Answers each question that may be open. Superfluous answers are refused.
    void answer_all() {
        for (const auto& [id, facts] : ledger_.runs) {
            const auto row = ledger_.row(id);
            if (row.id.empty() || has_ended(row.status)) continue;
            for (const auto& event : facts.graph->events)
                if (event.place == Place::reply) send(id, ++mails_, event, value_of_answers);
        }
    }
    const std::string* chosen(std::uint64_t a) {
        if (ledger_.runs.empty()) return nullptr;
        return &std::next(ledger_.runs.begin(), std::ptrdiff_t(a % ledger_.runs.size()))->first;
    }
    void signal(std::uint64_t a, std::uint64_t b) {
        const auto* id = chosen(a);
        if (!id || !ledger_.runs[*id].graph->has_signal) return;
        for (const auto& event : ledger_.runs[*id].graph->events)
            if (event.place == Place::signal) {
                const auto number = ++mails_;
                note("a signal " + std::to_string(number) + " to " + *id);
                for (auto times = 1 + b % 2; times > 0; --times) send(*id, number, event, number);
            }
    }
    void cancel(std::uint64_t a) {
        const auto* id = chosen(a);
        if (!id) return;
        note("somebody cancels " + *id);
        ledger_.runs[*id].is_cancelled = true;
        send(*id, "m" + std::to_string(++mails_), {{"cancel", true}});
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
    }
    void cut(Slot& slot, Duration time) {
        if (!slot) return;
        ++ledger_.counts.cuts;
        const auto& links = slot->links();
        const auto one = std::uint64_t(time.count()) / 1000 % (links.size() + 1);  // after the last one: all
        const bool is_all = one == links.size() || links.size() == 1;
        note(slot,
             "is cut off " + (is_all ? "" : "from database " + std::to_string(one) + " ") + "for " + in_seconds(time));
        for (std::size_t i = 0; i < links.size(); ++i)
            if (is_all || i == one) links[i]->cut_until(world_.now() + time);
    }
    void disturb(Slot& slot, Duration time) {
        if (!slot) return;
        note(slot, "loses single calls and answers for " + in_seconds(time));
        for (const auto& link : slot->links()) link->lose_until(world_.now() + time);
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
        if (!slot) return;
        note(slot, "has another date");
        slot->clock().difference += std::chrono::seconds(std::int64_t(a % 7200) - 3600);
    }
    /// All processes start anew with a further database.
    void grow() {
        if (store_.all().size() == most_databases) return;
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
        note("the disk of database " + std::to_string(number) + " is full for " + in_seconds(time));
        store_.all()[number]->disk.full_until = world_.now() + time;
    }
    void heal() {
        world_.run_until(world_.now() + 15s);  // pauses, cuts and outages end
        for (auto& slot : processes_)
            if (!slot) boot(slot);
        note("the faults stop");
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
    Databases store_;
    Ledger ledger_;
    Machine caller_;
    Link callers_link_;
    ScheduleSet schedules_;
    Graphs graphs_;
    std::vector<Slot> processes_;
    Duration lease_{};
    std::vector<std::string> journal_;
    std::uint64_t number_ = 0, mails_ = 0, boots_ = 0;
};
}
Verdict play(std::uint64_t seed, const std::set<std::uint64_t>& skips) { return History(seed, skips).play(); }
}
