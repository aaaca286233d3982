// The stored format: one writer and one reader of records. docs/architecture.md says what the records are for.
//
//     const std::string line = write_record(record);
//     const Record same = read_record(line);
//
// Kinds and names of members are those of the structs of engine/journal/record.hpp: no other file spells them.
#pragma once
#include "engine/journal/record.hpp"
#include "engine/json/parse.hpp"
#include "engine/store.hpp"

namespace weft::journal {
/// Limits for records that are read back.
inline constexpr JsonLimits limits{.bytes = std::size_t{1} << 30, .depth = 72};

/// One line of JSON. Throws Error{bad_json} for text that is not UTF-8.
template <class R> std::string write_record(const R&);
/// The same line with the questions that the tick has asked, which are known after it was written.
std::string with_questions(std::string line, const std::vector<QuestionRecord>&);
/// Throws Error{bad_json} for text that is no JSON, and for a record that misses a member or has one of another type.
Record read_record(std::string_view line);
/// Throws Error{journal} that names the record by its number.
Entry read_entry(const storage::StoredTick&);

/// Throws Error{journal} that names the run and the record.
std::vector<Entry> read_entries(const storage::History&);

std::string write_mail(const MailRecord&);
/// None for text that is no JSON object.
std::optional<MailRecord> read_mail(std::string_view text);

std::string write_snapshot(SnapshotRecord);
SnapshotRecord read_snapshot(std::string_view text);

/// An event by itself, such as the last one of a run.
std::string write_event(const EventRecord&);
std::string write_events(const std::vector<EventRecord>&);
EventRecord read_event(std::string_view text);
/// None for text that is no list of events.
std::optional<std::vector<EventRecord>> read_events(std::string_view text);

/// The line of a tick for a run that begins with it anew: without a time limit. Members of later versions stay.
std::string without_timeout(std::string_view line);
/// A line for programs: `tick` is the number, `kind` the kind, times are written by `time`, ids of questions are texts;
/// `step`, `events` and `slots` are always there, RunOptions::values never. Members of later versions stay.
nlohmann::json line_for_programs(const storage::StoredTick&, std::string (*time)(std::int64_t microseconds));
/// The id of a question of this run, as programs and users see it.
std::string question_text(const nlohmann::json& id, const std::string& run);
}
