// The stored format: one writer and one reader of records. docs/architecture.md explains the records.
//
//     const std::string line = write_record(record);
//     const Record same = read_record(line);
//
// Kinds and names of members come from the structs of engine/journal/record.hpp: no other file spells them.
#pragma once
#include "engine/journal/record.hpp"
#include "engine/json/parse.hpp"
#include "engine/store.hpp"

namespace weft::journal {
/// Limits for the reader.
inline constexpr JsonLimits limits{.bytes = std::size_t{1} << 30, .depth = 72};

/// One line of JSON. Throws Error{bad_json} for text that is not UTF-8.
template <class R> std::string write_record(const R&);
/// The line with the tick's questions, which are known only after it was written.
std::string with_questions(std::string line, const std::vector<QuestionRecord>&);
/// Throws Error{bad_json} for text that is not JSON, and for a record with a missing member or one of the wrong type.
Record read_record(std::string_view line);
/// Throws Error{journal} that names the record by its number.
JournalEntry read_entry(const storage::StoredTick&);

/// Throws Error{journal} that names the run and the record.
std::vector<JournalEntry> read_entries(const storage::History&);

std::string write_mail(const MailRecord&);
/// The mail that cancels the run.
storage::Mail cancellation_of(std::string run);
/// Empty for text that is not a JSON object.
std::optional<MailRecord> read_mail(std::string_view text);

std::string write_snapshot(SnapshotRecord);
SnapshotRecord read_snapshot(std::string_view text);

/// A single event, such as the last one of a run.
std::string write_event(const EventRecord&);
std::string write_events(const std::vector<EventRecord>&);
EventRecord read_event(std::string_view text);
/// Empty for text that is not a list of events.
std::optional<std::vector<EventRecord>> read_events(std::string_view text);

/// The line of the first tick for a fork: without the time limit. Members of later versions stay.
std::string without_timeout(std::string_view line);
/// A line for programs: `tick` is the number, `kind` the kind, times are written by `time`, ids of questions are texts;
/// `step`, `events` and `slots` are always there, RunOptions::values never. Members of later versions stay.
nlohmann::json line_for_programs(const storage::StoredTick&, std::string (*time)(std::int64_t microseconds));
/// The id of a question of this run, as shown to programs and users.
std::string question_text(const nlohmann::json& id, const std::string& run);
}
