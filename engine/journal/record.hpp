// The records of a journal: all that the store has of what a run has done, in the order in which it was done.
//
//     TickRecord record{.kind = TickKind::arrived, .at = now_us};
//     std::string line = write_record(record);                           // engine/journal/format.hpp
//     if (auto* tick = std::get_if<TickRecord>(&entry.record)) use(tick->events);
//
// The members of a struct are written in their order. Only those that the struct demands are always there; any other is
// left out when it is empty, and empty when it is missing. Records are data only: steps, events and slots are names.
#pragma once
#include "engine/describe.hpp"
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weft::journal {
/// JSON that is passed on as text.
struct RawJson {
    std::string text;
};
struct EventRecord {
    std::string event;    // its name
    nlohmann::json data;  // null: its step makes it again
    std::string sum;      // in place of the data: its checksum
    static constexpr std::string_view demanded[] = {"event"};
};
BOOST_DESCRIBE_STRUCT(EventRecord, (), (event, data, sum))
struct QuestionRecord {
    nlohmann::json question;  // its id
    std::string event;
    static constexpr std::string_view demanded[] = {"question", "event"};
};
BOOST_DESCRIBE_STRUCT(QuestionRecord, (), (question, event))
using JsonMap = std::map<std::string, nlohmann::json>;
using NameMap = std::map<std::string, std::string>;

/// In the order of core::Tick::Kind.
enum class TickKind : std::uint8_t { arrived, finished, failed, due, ended, dropped };
BOOST_DESCRIBE_ENUM(TickKind, arrived, finished, failed, due, ended, dropped)

/// An input of the reducer. The first one of a run has the declaration and the options of the run, too.
struct TickRecord {
    TickKind kind = TickKind::arrived;
    std::int64_t at = 0;  // microseconds since 1970, as all times
    std::string run;      // the path of a child run; empty: the root
    std::string step;
    std::optional<std::uint64_t> token, attempt;
    std::vector<EventRecord> events;
    std::uint8_t fan_out = 0;
    nlohmann::json question;  // that an answer is addressed to; null: to none
    std::string cause;        // why the run ends
    bool retry = false;
    JsonMap slots, appended;  // by their names: whole values, and the items that were added to lists
    std::optional<std::string> error;
    std::string code;
    std::optional<std::int64_t> due, first;  // the next attempt, and the first one
    std::string mail;                        // the id of the mail that was taken
    std::optional<std::vector<std::string>> active_steps;
    std::string hash, plan;  // the declaration; its text, if the store does not have it as the root's
    RawJson values;          // RunOptions::values
    std::optional<double> timeout;
    std::optional<std::int64_t> deadline;
    std::vector<QuestionRecord> asked;
    static constexpr std::string_view demanded[] = {"at"};
};
BOOST_DESCRIBE_STRUCT(TickRecord, (),
                      (at, run, step, token, attempt, events, fan_out, question, cause, retry, slots, appended, error,
                       code, due, first, mail, active_steps, hash, plan, values, timeout, deadline, asked))

/// Work within a step.
struct WorkRecord {
    std::int64_t at = 0;
    std::string run, step;
    std::optional<std::uint64_t> token, attempt;
    std::optional<std::string> name;
    std::uint32_t within = 0;  // so much other recorded work
    static constexpr std::string_view demanded[] = {"at"};
};
BOOST_DESCRIBE_STRUCT(WorkRecord, (), (at, run, step, token, attempt, name, within))
/// A result or a failure of ctx.once, of one attempt.
struct OnceRecord : WorkRecord {
    static constexpr std::string_view kind = "once";
    std::optional<RawJson> value;
    std::string failed;  // the code of what was thrown, or that a time limit has ended the work
    std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(OnceRecord, (WorkRecord), (value, failed, error))
/// The begin of work by ctx.at_most_once, of one invocation.
struct BegunRecord : WorkRecord {
    static constexpr std::string_view kind = "begun";
};
BOOST_DESCRIBE_STRUCT(BegunRecord, (WorkRecord), ())
/// The result of that work.
struct OutcomeRecord : WorkRecord {
    static constexpr std::string_view kind = "outcome";
    std::optional<RawJson> value;
};
BOOST_DESCRIBE_STRUCT(OutcomeRecord, (WorkRecord), (value))
/// Slots that a fork was given.
struct EditedRecord {
    static constexpr std::string_view kind = "edited";
    std::int64_t at = 0;
    std::string run;
    JsonMap slots, appended;
    static constexpr std::string_view demanded[] = {"at"};
};
BOOST_DESCRIBE_STRUCT(EditedRecord, (), (at, run, slots, appended))
/// Mail that fits nothing.
struct RefusedRecord {
    static constexpr std::string_view kind = "refused";
    std::int64_t at = 0;
    std::string mail, run;
    static constexpr std::string_view demanded[] = {"at", "mail"};
};
BOOST_DESCRIBE_STRUCT(RefusedRecord, (), (at, mail, run))
/// The change to another declaration.
struct CarriedRecord {
    static constexpr std::string_view kind = "carried";
    std::int64_t at = 0;
    std::string hash;
    std::optional<NameMap> renames;
    std::string run, plan;
    static constexpr std::string_view demanded[] = {"at", "hash"};
};
BOOST_DESCRIBE_STRUCT(CarriedRecord, (), (at, hash, renames, run, plan))
/// A record of a later version. Its kind is that of no tick.
struct OtherRecord : TickRecord {
    std::string other_kind;
    std::optional<std::string> name;
};
BOOST_DESCRIBE_STRUCT(OtherRecord, (TickRecord), (name))

using Record = std::variant<TickRecord, OnceRecord, BegunRecord, OutcomeRecord, EditedRecord, RefusedRecord,
                            CarriedRecord, OtherRecord>;
/// A record with its number in the run.
struct Entry {
    std::uint64_t number = 0;
    Record record;
};

std::string_view kind_of(const Record&);
std::string_view name(TickKind) noexcept;
std::int64_t time_of(const Record&);
const std::string& path_of(const Record&);  // a child run's; empty: the root
/// The members of a tick or of a record of a later version; null for all others.
const TickRecord* tick_of(const Record&);
/// Members that several kinds of records share; empty where a kind lacks them.
struct Labels {
    std::string_view step, name, error, mail;
    std::uint64_t attempt = 0;
};
Labels labels_of(const Record&);
/// The declaration that holds from here on, and its text if the record has it; else empty.
struct Declaration {
    std::string_view hash, plan;
};
Declaration declaration_of(const Record&);
/// Changes of slots by a record; null: none.
struct Edits {
    const JsonMap *slots = nullptr, *appended = nullptr;
    bool any() const { return slots && (!slots->empty() || !appended->empty()); }
};
Edits edits_of(const Record&);

/// Mail for a run: an answer, or the wish that it be cancelled. Others may have sent it, so its members are JSON of any
/// type.
struct MailRecord {
    std::optional<nlohmann::json> cancel, data, event, question, run;
};
BOOST_DESCRIBE_STRUCT(MailRecord, (), (cancel, data, event, question, run))

/// Whether a record is none without this member.
template <class T> constexpr bool demands(std::string_view member) {
    if constexpr (requires { T::demanded; })
        for (std::string_view name : T::demanded)
            if (name == member) return true;
    return false;
}

/// The state of a run, in place of the records before it. Its numbers are those of the declaration with the hash.
struct SnapshotRecord {
    std::string hash;
    std::uint64_t sum = 0;  // the last record's in it
    NameMap plans;          // the texts of declarations, by their hashes
    std::vector<EventRecord> events;
    JsonMap slots;
    nlohmann::json state;
    static constexpr std::string_view demanded[] = {"hash", "sum", "plans", "events", "state"};
};
BOOST_DESCRIBE_STRUCT(SnapshotRecord, (), (hash, sum, plans, events, slots, state))
}
