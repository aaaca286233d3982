// `weft runs` and `weft show`: what a store holds. Programs get all of it, a terminal what fits its lines.
#include "engine/json.hpp"
#include "engine/text.hpp"
#include "workflows/catalog/stored_runs.hpp"
#include "workflows/catalog/stored_ticks.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/store.hpp"
#include <algorithm>

namespace weft::driver {
using namespace storage;
namespace {
using nlohmann::json;

constexpr std::size_t line_width = 100;

/// The table's columns are as wide as what stands in them, within bounds.
struct Widths {
    std::size_t id = 3, status = 6, workflow = 8, age = 4;
    void make_room_for(const RunRow& row, std::string_view status_word) {
        id = std::clamp<std::size_t>(row.id.size(), id, 36);
        workflow = std::clamp<std::size_t>(row.workflow.size(), workflow, 16);
        status = std::max(status, status_word.size());
    }
};
void say_row(const Widths& widths, std::string_view id, std::string_view workflow, std::string_view status,
             std::string_view age, std::string_view waits_for) {
    auto line = cell(id, widths.id) + "  " + cell(workflow, widths.workflow) + "  " + cell(status, widths.status) +
                "  " + cell(age, widths.age) + "  ";
    const auto used = widths.id + widths.workflow + widths.status + widths.age + 8;
    line += cell(waits_for, line_width - used);
    say(trimmed_end(line));
}
Exit list_stored(const Choices& choices) {
    const auto opened = visit_store(choices);
    const auto most = std::size_t(choices.stored.limit);
    const catalog::Listing listing{choices.stored.statuses, choices.stored.workflows, most + 1};
    auto rows = catalog::list_runs(*opened.store, listing, opened.has_engine);
    const bool more = rows.size() > most;
    if (more) rows.resize(most);
    if (choices.show.json) {
        for (auto& row : rows) say_json(to_json(catalog::describe(row, opened.has_engine)));
    } else if (rows.empty()) {
        note("there are no such runs in " + store_name(choices));
    } else {
        Widths widths;
        const auto word = [&](const RunRow& row) { return catalog::shown_status(row, opened.has_engine); };
        for (auto& row : rows) widths.make_room_for(row, word(row));
        say_row(widths, "RUN", "WORKFLOW", "STATUS", "AGE", "WAITS FOR");
        for (auto& row : rows) say_row(widths, row.id, row.workflow, word(row), age(row.created_at), row.waits_for);
    }
    if (more) note("there are more runs than these " + std::to_string(most) + ": --limit says how many are listed");
    return Exit::ok;
}

void say_fact(std::string_view name, std::string_view text) {
    if (!text.empty()) say(cell(name, 12) + in_one_line(text));
}
void say_cut(std::string_view line) { say(trimmed_end(cell(line, line_width))); }
void say_part(std::string_view name, std::string_view text) {
    if (!text.empty()) say_cut("    " + std::string(name) + ' ' + std::string(text));
}
std::string id_of(const json& question) { return question.is_string() ? question.get<std::string>() : ascii(question); }

void say_tick(const catalog::Tick& tick) {
    auto& body = tick.body;
    auto line = cell("tick " + std::to_string(tick.number), 12) + catalog::utc(body.at) + "  " + body.tick;
    if (!body.step.empty()) line += ' ' + body.step;
    if (body.attempt > 1) line += ", attempt " + std::to_string(body.attempt);
    if (!body.name.empty()) line += ' ' + body.name;
    if (!body.run.empty()) line += ", in the child run " + body.run;
    say_cut(line);
    for (auto& event : body.events)
        say_part(event.event, event.sum.empty() ? ascii(event.data) : "(made again when it is needed)");
    for (auto& asked : body.asked) say_part("asked question", id_of(asked.question) + ", " + asked.event);
    if (!body.question.is_null()) say_part("answers question", id_of(body.question));
    for (auto& [name, value] : body.slots) say_part(name + " =", ascii(value));
    for (auto& [name, items] : body.appended) say_part(name + " +=", ascii(items));
    say_part("error:", body.error);
    if (body.due) say_part("next attempt:", catalog::utc(*body.due));
    say_part("ended:", body.cause);
}
void say_head(const RunRow& row, const catalog::ShownRun& run) {
    say_fact("run", run.id);
    say_fact("workflow", run.workflow);
    say_fact("status", run.status);
    say_fact("created", run.created + ", " + age(row.created_at) + " ago");
    say_fact("updated", run.updated + ", " + age(row.updated_at) + " ago");
    say_fact("waits for", row.waits_for);
    say_fact("forked from", row.forked_from);
    say_fact("key", row.start_key);
    if (run.options.text != "{}") say_fact("options", ascii(to_json(run.options)));
    if (!run.outcome.is_null()) say_fact("outcome", ascii(run.outcome));
}
void say_state(const catalog::ShownRun& run) {
    if (!run.slots.empty()) say("slots now");
    for (auto& [name, value] : run.slots) say_part(name + " =", ascii(value));
    if (!run.questions.empty()) say("open questions");
    for (auto& each : run.questions)
        say_part("question " + each.question + ", " + each.event + (each.answered ? " (answered, not taken yet)" : ""),
                 ascii(each.data));
}
Exit show_stored(const Choices& choices) {
    const auto opened = visit_store(choices);
    const auto history = catalog::load_run(*opened.store, catalog::find_run(*opened.store, choices.stored.run).id);
    const auto ticks = catalog::read_ticks(history);
    const auto run = catalog::describe(history, ticks, opened.has_engine);
    if (choices.show.json) {
        for (auto& tick : ticks) say_json(catalog::to_line(tick));
        say_json(to_json(run));
        return Exit::ok;
    }
    say_head(history.run, run);
    for (auto& tick : ticks) say_tick(tick);
    say_state(run);
    return Exit::ok;
}
constexpr auto runs_examples =
    R"(A status is ready, running, waiting, done, failed, timed_out, cancelled, or interrupted: a run that was at work
when its process ended. `weft resume` goes on with it.

  weft runs --store weft.db --status waiting
  weft runs --store weft.db --json | jq -r .id
)";
constexpr auto show_examples =
    R"(With --json there is a line for each tick, and a last one with the run, its open questions and its slots.

  weft show 4f2a --store weft.db
)";
}

std::vector<Command> stored_run_commands() {
    using enum Group;
    return {{"runs",
             nullptr,
             "list the runs of a store, the newest first",
             {run_filter, as_json, store},
             runs_examples,
             list_stored},
            {"show",
             nullptr,
             "show a stored run: what has happened, and what it waits for",
             {run_id, as_json, store},
             show_examples,
             show_stored}};
}
}
