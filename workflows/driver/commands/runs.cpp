// `weft runs` and `weft show`: show the contents of a store. Programs get all of them, a terminal lines that fit.
#include "engine/journal/format.hpp"
#include "engine/json.hpp"
#include "engine/replay.hpp"
#include "engine/text/iso_time.hpp"
#include "engine/text/text.hpp"
#include "workflows/catalog/answer_types.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/shell_commands.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <algorithm>
#include <unistd.h>

namespace weft::driver {
using namespace storage;
namespace {
using nlohmann::json;

constexpr std::size_t line_width = 100;
constexpr std::size_t most_ticks_read = 100'000;  // a listing then takes a second or two

bool is_terminal() {
    static const bool found = ::isatty(STDOUT_FILENO);
    return found;
}
/// The width for lines; unlimited without a terminal.
std::string cut(std::string_view text, std::size_t columns) {
    return is_terminal() ? cell(text, columns) : in_one_line(text);
}

/// Columns are as wide as their contents, within bounds.
struct Widths {
    std::size_t id = 3, status = 6, workflow = 8, age = 4;
    void make_room_for(const catalog::ListedRun& run) {
        const std::size_t most = is_terminal() ? 36 : run.id.size() + 3;
        id = std::max(id, std::min(run.id.size(), most));
        workflow = std::clamp<std::size_t>(run.workflow.size(), workflow, 16);
        status = std::max(status, run.status.size());
    }
};
/// Ids of scheduled runs differ at their ends, so a long one loses its middle.
std::string id_cell(std::string_view id, std::size_t columns) {
    const auto text = in_one_line(id);
    if (text.size() <= columns || !std::ranges::all_of(text, [](char c) { return c > 0; })) return cell(text, columns);
    const auto begin = columns / 3;
    return text.substr(0, begin) + "…" + text.substr(text.size() - (columns - begin - 1));
}
void say_row(const Widths& widths, std::string_view id, std::string_view workflow, std::string_view status,
             std::string_view age, std::string_view waits_for) {
    auto line = id_cell(id, widths.id) + "  " + cell(workflow, widths.workflow) + "  " + cell(status, widths.status) +
                "  " + cell(age, widths.age) + "  ";
    const auto used = std::min<std::size_t>(widths.id, 36) + widths.workflow + widths.status + widths.age + 8;
    line += cut(waits_for, line_width - used);
    say(trimmed_end(line));
}
void note_unread(const std::vector<catalog::ListedRun>& runs) {
    const auto unread = std::ranges::count(runs, true, &catalog::ListedRun::is_unread);
    if (unread > 0)
        note("the list does not show what " +
             std::string(unread == 1 ? "one of these runs waits" : std::to_string(unread) + " of these runs wait") +
             " for, since that takes long: `weft show RUN` shows it");
}
/// Reports each damaged run in a message, after the readable ones.
ExitCode tell_damaged(const std::vector<catalog::ListedRun>& runs) {
    auto exit = ExitCode::ok;
    for (auto& run : runs) {
        if (run.status != "damaged") continue;
        complain("run " + run.id + " is damaged in the store and cannot be read; `weft prune --run " +
                 shell_quoted(run.id) + " --damaged` deletes the rest");
        exit = ExitCode::failed;
    }
    return exit;
}
ExitCode list_stored(const Choices& choices) {
    const auto opened = visit_store(choices);
    const auto& wanted = choices.stored;
    catalog::check_workflows(*opened.store, wanted.workflows);
    const auto most = std::size_t(wanted.limit);
    auto runs = catalog::list_runs(*opened.store, {wanted.statuses, wanted.workflows, most + 1, most_ticks_read},
                                   opened.has_engine({}));
    const bool more = runs.size() > most;
    if (more) runs.resize(most);
    if (choices.show.json) {
        for (auto& run : runs) say_json(to_json(run));
    } else if (runs.empty()) {
        note("there are no runs that match in " + named_store(choices));
    } else {
        Widths widths;
        for (auto& run : runs) widths.make_room_for(run);
        say_row(widths, "RUN", "WORKFLOW", "STATUS", "AGE", "WAITS FOR");
        for (auto& run : runs)
            say_row(widths, run.id, run.workflow, run.status, age(run.created_at), run.waits_for.value_or(""));
    }
    if (more) note("there are more runs than these " + std::to_string(most) + ": --limit N lists more");
    note_unread(runs);
    return tell_damaged(runs);
}

void say_fact(std::string_view name, std::string_view text) {
    if (!text.empty()) say(cell(name, 12) + in_one_line(text));
}
void say_cut(std::string_view line) { say(trimmed_end(cut(line, line_width))); }
void say_part(std::string_view name, std::string_view text) {
    if (!text.empty()) say_cut("    " + std::string(name) + ' ' + std::string(text));
}
/// The events that a step has emitted. A question has its number.
void say_events(const journal::TickRecord& tick) {
    auto asked = tick.asked;
    for (auto& event : tick.events) {
        const auto data = event.sum.empty() ? ascii(event.data) : "(made again when it is needed)";
        const auto question = std::ranges::find(asked, event.event, &journal::QuestionRecord::event);
        if (question == asked.end()) {
            say_part(event.event, data);
            continue;
        }
        say_part("asks question " + journal::question_text(question->question, tick.run) + ", " + event.event, data);
        asked.erase(question);
    }
}
void say_tick(const journal::JournalEntry& entry) {
    const auto& record = entry.record;
    const auto* tick = journal::tick_of(record);
    const auto labels = journal::labels_of(record);
    const auto with = [](const char* before, std::string_view text) {
        return text.empty() ? std::string() : before + std::string(text);
    };
    auto line = cell("tick " + std::to_string(entry.number), 12) + utc(journal::time_of(record)) + "  ";
    line += journal::kind_of(record);
    line += with(" ", labels.step);
    if (labels.attempt > 1) line += ", attempt " + std::to_string(labels.attempt);
    line += with(": ", labels.name);
    line += with(", in the child run ", journal::path_of(record));
    say_cut(line);
    if (tick && !tick->question.is_null())
        say_part("answers question", journal::question_text(tick->question, tick->run));
    if (tick) say_events(*tick);
    if (const auto edits = journal::edits_of(record); edits.any()) {
        for (auto& [name, value] : *edits.slots) say_part(name + " =", ascii(value));
        for (auto& [name, items] : *edits.appended) say_part(name + " +=", ascii(items));
    }
    say_part("error:", labels.error);
    if (tick && tick->due) say_part("next attempt:", utc(*tick->due));
    if (const auto end = journal::sleep_end_of(record)) say_part("sleeps until:", utc(*end));
    if (tick) say_part("ended:", tick->cause);
}
void say_options(const json& options) {
    if (!options.is_object() || options.empty()) return;
    say("options, without those that are empty, 0 or false");
    const auto is_plain = [](const json& value) {
        const auto* text = value.get_ptr<const std::string*>();
        return value.empty() || (text && text->empty()) || value == 0 || value == false;
    };
    const auto say_all = [&](const auto& self, const json& all, const std::string& path) -> void {
        for (auto& [name, value] : all.items())
            if (value.is_object() && !value.empty()) self(self, value, path + name + '.');
            else if (!path.starts_with("options.") || !is_plain(value)) say_part(path + name + " =", ascii(value));
    };
    say_all(say_all, options, "");
}
void say_head(const RunRow& row, const catalog::ShownRun& run, bool has_engine) {
    say_fact("run", run.id);
    say_fact("workflow", run.workflow);
    say_fact("status", run.status);
    say_fact("created", run.created + ", " + age(row.created_at) + " ago");
    say_fact("updated", run.updated + ", " + age(row.updated_at) + " ago");
    if (storage::waits_to_begin(row)) say_fact("waits until", utc(row.wake_at.value_or(0)));
    else say_fact("waits for", run.waits_for.value_or(""));
    if (run.to_be_cancelled) say_fact("cancel", has_engine ? "it is about to end" : "it ends when it is resumed");
    if (run.undoes_after) say_fact("undoes", "its work, and then ends as " + *run.undoes_after);
    say_fact("forked from", row.forked_from);
    say_fact("key", row.start_key);
    if (!run.outcome.is_null()) say_fact("outcome", ascii(run.outcome));
    say_options(to_json(run.options));
}
/// The user decides by this text, so it is complete and not escaped.
void say_field(const std::string& name, const json& value) {
    say_in_one_line("    " + name + value.dump(-1, ' ', false, json::error_handler_t::replace));
}
void say_question(const catalog::ListedQuestion& question, const std::string& run, const std::string& store,
                  const catalog::AnswerTypes& types, bool to_be_cancelled) {
    say_in_one_line("question " + question.question + ", " + question.event +
                    (question.answered ? " (answered, not taken yet)" : ""));
    if (!question.data.is_object()) say_field("", question.data);
    else
        for (auto& [name, value] : question.data.items()) say_field(name + " = ", value);
    if (question.answered || to_be_cancelled) return;
    for (auto& command : answer_commands(run, store, question, types)) say("    " + command);
}
void say_state(const catalog::ShownRun& run, const std::string& store) {
    if (!run.slots.empty()) say("slots now");
    for (auto& [name, value] : run.slots) say_part(name + " =", ascii(value));
    if (run.questions.empty()) return;
    say(run.to_be_cancelled ? "open questions, which no longer take answers"
                            : "open questions, each with the command that answers it");
    const catalog::AnswerTypes types(run.workflow);
    for (auto& each : run.questions) say_question(each, run.id, store, types, run.to_be_cancelled);
}
ExitCode show_stored(const Choices& choices) {
    const auto opened = visit_store(choices);
    const auto history = history_of(*opened.store, catalog::find_run(*opened.store, choices.stored.run).id);
    const auto ticks = journal::read_entries(history);
    const bool has_engine = opened.has_engine(history.run.id);
    const auto run = catalog::describe(history, ticks, has_engine);
    if (choices.show.json) {
        for (auto& tick : history.ticks) say_json(journal::line_for_programs(tick, utc));
        say_json(to_json(run));
        return ExitCode::ok;
    }
    say_head(history.run, run, has_engine);
    for (auto& tick : ticks) say_tick(tick);
    say_state(run, store_name(choices));
    return ExitCode::ok;
}
std::string runs_examples() {
    std::string text = "A status is ";
    const auto& words = catalog::status_words();
    for (auto& word : words) (text += word) += &word == &words.back() ? "" : &word + 1 == &words.back() ? " or " : ", ";
    return text + R"(. An interrupted
run was running when its process ended: `weft resume` continues it. `--status waiting` lists all runs that wait for
an answer, also those that are ready, running or interrupted.

  weft runs --store weft.db --status waiting
  weft runs --store weft.db --json | jq -r .id
)";
}
constexpr auto show_examples =
    R"(The open questions come last, whole, each with the command that answers it. --json prints a line for each tick,
and a last line with the run, its open questions and its slots.

  weft show 4f2a --store weft.db
)";
}

std::vector<DriverCommand> stored_run_commands() {
    static const auto examples = runs_examples();
    using enum OptionGroup;
    return {{"runs",
             "list the runs of a store, the newest first",
             {run_filter, as_json, store},
             list_stored,
             examples.c_str()},
            {"show",
             "show a stored run: what has happened, and what it waits for",
             {run_id, as_json, store},
             show_stored,
             show_examples}};
}
}
