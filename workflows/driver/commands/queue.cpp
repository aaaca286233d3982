// `weft queue`: lists a store's waiting runs, its workers, and the runs that no worker can take; changes a queue's
// limits.
#include "engine/json.hpp"
#include "engine/storage/answer.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/catalog/stored/queue_view.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/values.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace weft::driver {
namespace {
constexpr std::pair<std::uint32_t, std::string_view> rate_periods[] = {{1, "s"}, {60, "min"}, {3600, "h"}};
using TableRow = std::vector<std::string>;

std::string seconds(double n) {
    const auto whole = std::max<std::int64_t>(0, std::int64_t(n));
    return age(storage::wall_microseconds() - whole * 1'000'000);
}
/// Each column is as wide as its longest cell, up to a limit.
void say_table(const std::vector<TableRow>& lines) {
    constexpr std::size_t widest = 48;
    std::vector<std::size_t> widths(lines.front().size(), 0);
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::clamp(line[i].size(), widths[i], widest);
    for (const auto& line : lines) {
        std::string text;
        for (std::size_t i = 0; i < line.size(); ++i) text += (i ? "  " : "") + cell(line[i], widths[i]);
        say(trimmed_end(text));
    }
}
std::string joined_names(const std::vector<std::string>& names, const std::string& none) {
    std::string text;
    for (const auto& name : names) (text += text.empty() ? "" : ",") += name;
    return text.empty() ? none : text;
}
std::string limits_text(const storage::QueueLimits& limits) {
    std::string text;
    const auto add = [&](const std::string& part) { (text += text.empty() ? "" : ", ") += part; };
    if (limits.running) add("at most " + std::to_string(*limits.running) + " at once");
    if (limits.running_per_key)
        add("at most " + std::to_string(*limits.running_per_key) + " at once per " + limits.per);
    else if (!limits.per.empty()) add("in turn per " + limits.per);
    for (const auto& [seconds, period] : rate_periods)
        if (limits.starts && limits.seconds == seconds)
            add("at most " + std::to_string(*limits.starts) + "/" + std::string(period));
    return text;
}
void say_limits(const catalog::QueueView& view) {
    std::vector<TableRow> lines{{"LIMITED QUEUE", "HELD BACK", "LIMITS"}};
    for (const auto& queue : view.queues)
        if (queue.limits) lines.push_back({queue.queue, std::to_string(queue.held_back), limits_text(*queue.limits)});
    if (lines.size() == 1) return;
    say("");
    say_table(lines);
}
void say_queues(const catalog::QueueView& view) {
    std::vector<TableRow> lines{{"QUEUE", "READY", "OLDEST", "RUNNING", "WAITING", "TAKEN OVER"}};
    for (const auto& queue : view.queues)
        lines.push_back({queue.queue, std::to_string(queue.ready),
                         queue.oldest_ready_seconds ? seconds(*queue.oldest_ready_seconds) : "-",
                         std::to_string(queue.running), std::to_string(queue.waiting),
                         std::to_string(queue.taken_over)});
    say_table(lines);
}
void say_workers(const catalog::QueueView& view) {
    std::vector<TableRow> lines{{"WORKER", "SLOTS", "LEASE", "SINCE", "QUEUES", "WORKFLOWS"}};
    for (const auto& worker : view.workers) {
        std::vector<std::string> workflows;
        for (const auto& [name, hash] : worker.workflows) workflows.push_back(name);
        lines.push_back({worker.process, std::to_string(worker.used) + "/" + std::to_string(worker.slots),
                         seconds(worker.lease_seconds), seconds(worker.age_seconds), joined_names(worker.queues, "all"),
                         joined_names(workflows, "-")});
    }
    say_table(lines);
}
void say_stuck(const catalog::StuckRuns& stuck) {
    const auto what = stuck.run.empty() ? std::to_string(stuck.runs) + (stuck.runs == 1 ? " run" : " runs") + " of " +
                                              stuck.workflow + " in the queue " + stuck.queue
                                        : "run " + stuck.run + " of " + stuck.workflow;
    note(what + (stuck.runs == 1 ? " waits: " : " wait: ") + stuck.missing);
}
std::uint32_t count_of(const std::string& option, const std::string& text) {
    const auto count = read_number<std::uint32_t>(text);
    if (!count || *count > 1'000'000)
        throw Error(Code::usage,
                    option + " takes a whole number up to 1000000, or none, not \"" + excerpt(text, 60) + '"');
    return *count;
}
void set_rate(storage::QueueLimits& limits, const std::string& text) {
    const auto slash = text.find('/');
    for (const auto& [seconds, period] : rate_periods)
        if (slash != text.npos && text.substr(slash + 1) == period) {
            limits.starts = count_of("--rate N/TIME", text.substr(0, slash));
            if (limits.starts == 0U)
                throw Error(Code::usage, "--rate takes 1 or more; --running 0 lets the queue rest");
            limits.seconds = seconds;
            return;
        }
    throw Error(Code::usage,
                "--rate takes a number and a time, such as 5/s, 100/min or 1000/h, not \"" + excerpt(text, 60) + '"');
}
void change(storage::QueueLimits& limits, const WorkerChoices& given) {
    if (given.running == "none") limits.running.reset();
    else if (!given.running.empty()) limits.running = count_of("--running", given.running);
    if (given.rate == "none") limits.starts.reset();
    else if (!given.rate.empty()) set_rate(limits, given.rate);
    if (given.per.empty()) return;
    const auto equals = given.per.rfind('=');
    limits.per = given.per == "none" ? "" : given.per.substr(0, equals);
    limits.running_per_key.reset();
    if (equals != std::string::npos) limits.running_per_key = count_of("--per KEY=N", given.per.substr(equals + 1));
}
/// A mistyped name would limit nothing.
void note_unknown(const storage::Survey& survey, const std::string& queue) {
    std::set<std::string> known;
    for (const auto& count : survey.runs) known.insert(count.queue);
    for (const auto& flow : survey.flows) known.insert(flow.limits.queue);
    if (known.contains(queue)) return;
    note("no unfinished run is in the queue " + excerpt(queue, 60) + " yet; the store has " +
         (known.empty() ? "no queue" : "the queues " + excerpt(joined_names({known.begin(), known.end()}, ""), 200)));
}
ExitCode set_queue(const Choices& choices) {
    if (choices.worker.queue.empty() || (choices.worker.running + choices.worker.per + choices.worker.rate).empty())
        throw Error(Code::usage, "`weft queue set` needs the name of a queue and a limit, such as: weft queue set mail "
                                 "--running 10");
    const auto opened = visit_store(choices);
    auto& store = *opened.store;
    storage::QueueLimits limits{.queue = choices.worker.queue};
    const auto survey = storage::answer_of<storage::Survey>([&](auto then) { store.survey(std::move(then)); });
    for (const auto& flow : survey.flows)
        if (flow.limits.queue == limits.queue) limits = flow.limits;
    change(limits, choices.worker);
    storage::answer_of<bool>([&](auto then) { store.set_limits(limits, std::move(then)); });
    if (!choices.show.quiet) note_unknown(survey, limits.queue);
    if (choices.show.json) {
        say_json(to_json(catalog::QueueRow{.queue = limits.queue, .limits = limits}));
        return ExitCode::ok;
    }
    const auto text = limits_text(limits);
    say(limits.queue + ": " + (text.empty() ? "no limits" : text));
    return ExitCode::ok;
}
ExitCode show_queue(const Choices& choices) {
    if (!choices.worker.action.empty()) return set_queue(choices);
    for (const auto* option : choices.given)
        if (option->group == OptionGroup::queue_limits)
            throw Error(Code::usage, std::string(option->name) + " is for `weft queue set QUEUE`");
    const auto opened = visit_store(choices);
    const auto view = catalog::view_queues(*opened.store);
    if (choices.show.json) {
        say_json(to_json(view));
        return ExitCode::ok;
    }
    if (view.queues.empty()) note("no run waits in this store, and no worker uses it");
    else say_queues(view);
    say_limits(view);
    if (!view.workers.empty()) {
        if (!view.queues.empty()) say("");
        say_workers(view);
    }
    for (const auto& stuck : view.stuck) say_stuck(stuck);
    return ExitCode::ok;
}
constexpr auto queue_examples =
    R"(A run is ready until a worker takes it, and waiting while it needs an answer or waits for a time. OLDEST is the
time since the oldest ready run became ready. TAKEN OVER counts runs whose worker has died since they last finished a
step. LEASE is the rest of a worker's lease. `weft runs` lists the runs themselves. HELD BACK counts ready runs that
wait for a limit of their queue.

  weft queue --store weft.db
  weft queue --store weft.db --json | jq '.queues[] | select(.ready > 100)'
  weft queue set mail --running 10 --per value.tenant=2 --store weft.db
  weft queue set mail --rate 100/min --store weft.db
  weft queue set mail --running none --per none --rate none --store weft.db
)";
}

DriverCommand queue_command() {
    using enum OptionGroup;
    return {"queue",
            "list the waiting runs and the workers of a store, or limit a queue",
            {queue_limits, as_json, store},
            show_queue,
            queue_examples};
}
}
