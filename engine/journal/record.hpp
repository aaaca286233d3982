// The records of a journal: everything that the store has about a run, in chronological order.
//
//     TickRecord record{.kind = TickKind::arrived, .at = now_us};
//     std::string line = write_record(record);                           // engine/journal/format.hpp
//     if (auto* tick = std::get_if<TickRecord>(&entry.record)) use(tick->events);
//
// A struct's members are written in their order. Only demanded members are always written; an empty member is omitted,
// and a missing one reads as empty. Records are pure data: they refer to steps, events and slots by name.
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
/// JSON passed through as text.
struct RawJson {
    std::string text;  // a JSON value; empty: none
};
/// An event of a tick.
struct EventRecord {
    std::string event;    // its name
    nlohmann::json data;  // null: repeatable, its step makes it again
    std::string sum;      // checksum, in place of the data
    static constexpr std::string_view demanded[] = {"event"};
};
BOOST_DESCRIBE_STRUCT(EventRecord, (), (event, data, sum))
/// A question that a tick asks.
struct QuestionRecord {
    nlohmann::json question;  // its id
    std::string event;        // name of the question's type
    static constexpr std::string_view demanded[] = {"question", "event"};
};
BOOST_DESCRIBE_STRUCT(QuestionRecord, (), (question, event))
using JsonMap = std::map<std::string, nlohmann::json>;  // values by the name of their slot
using NameMap = std::map<std::string, std::string>;     // present by stored names, or texts by hash

/// The order equals core::Tick::Kind.
enum class TickKind : std::uint8_t {
    arrived,   // an event came from outside: the start event or an answer
    finished,  // an attempt of a step has returned its events
    failed,    // an attempt has thrown
    due,       // the wait for the next attempt is over
    ended,     // the run ends by failure, timeout or cancellation
    dropped,   // an invocation of a cancelled branch has ended, or never begins
};
BOOST_DESCRIBE_ENUM(TickKind, arrived, finished, failed, due, ended, dropped)

/// An input of the reducer. The first tick of a run also has its declaration and options.
struct TickRecord {
    TickKind kind = TickKind::arrived;
    std::int64_t at = 0;                 // microseconds since 1970, like all times
    std::string run;                     // the path of a child run; empty: the root
    std::string step;                    // name of the step whose attempt it is; empty: arrived or ended
    std::optional<std::uint64_t> token,  // index of the step's token in the state; empty: arrived or ended
        attempt;                         // number of the attempt, from 1; empty: arrived or ended
    std::vector<EventRecord> events;
    std::uint8_t fan_out = 0;          // finished: the events are branches of the step's n-th fan-out; 0: no branches
    nlohmann::json question;           // answered question; null: none
    std::string cause;                 // reason of an end; with an event: the undo step gets it, and the run ends later
    bool retry = false;                // failed: another attempt follows, at `due`
    JsonMap slots,                     // whole values
        appended;                      // arrays of items appended to lists
    std::optional<std::string> error;  // sentence of a failure; empty: no failure
    std::string code;                  // name(Code) of the failure
    std::optional<std::int64_t> due,   // time of the next attempt
        first;                         // time of the first attempt
    std::string mail;                  // id of the taken mail
    std::optional<std::vector<std::string>> active_steps;  // ended by a timeout: steps at work
    std::string hash,                                      // of the declaration, in the first tick
        plan;                              // text of the declaration, unless the store has it as the root's
    RawJson values;                        // RunOptions::values
    std::optional<double> timeout;         // RunOptions::timeout in seconds, in the first tick
    std::optional<std::int64_t> deadline;  // time at which the timeout ends the run, in the first tick; of the undoing
    std::uint32_t asked_before = 0;        // in the first tick: questions before the run began again
    std::vector<QuestionRecord> asked;     // questions that this tick asks
    static constexpr std::string_view demanded[] = {"at"};
};
BOOST_DESCRIBE_STRUCT(TickRecord, (),
                      (at, run, step, token, attempt, events, fan_out, question, cause, retry, slots, appended, error,
                       code, due, first, mail, active_steps, hash, plan, values, timeout, deadline, asked_before,
                       asked))

/// A piece of work within a step.
struct WorkRecord {
    std::int64_t at = 0;
    std::string run,                     // as in TickRecord
        step;                            // name of the step
    std::optional<std::uint64_t> token,  // as in TickRecord
        attempt;                         // number of the attempt, from 1
    std::optional<std::string> name;     // the name that the step gives to the work
    std::uint32_t within = 0;            // depth: number of enclosing recorded works
    static constexpr std::string_view demanded[] = {"at"};
};
BOOST_DESCRIBE_STRUCT(WorkRecord, (), (at, run, step, token, attempt, name, within))
/// The result or failure of a ctx.once in one attempt.
struct OnceRecord : WorkRecord {
    static constexpr std::string_view kind = "once";
    std::optional<RawJson> value;      // the result; empty: a failure
    std::string failed;                // the exception's code, or the mark of a time limit
    std::optional<std::string> error;  // the exception's sentence
};
BOOST_DESCRIBE_STRUCT(OnceRecord, (WorkRecord), (value, failed, error))
/// The begin of a ctx.at_most_once of one invocation.
struct BegunRecord : WorkRecord {
    static constexpr std::string_view kind = "begun";
};
BOOST_DESCRIBE_STRUCT(BegunRecord, (WorkRecord), ())
/// A sleep's outcome has this name and the sleep's number within the attempt. Its value is the end, in microseconds
/// since 1970.
inline constexpr std::string_view sleep_name = "weft.sleep.";
/// The result of a ctx.at_most_once, or the end of a ctx.sleep.
struct OutcomeRecord : WorkRecord {
    static constexpr std::string_view kind = "outcome";
    std::optional<RawJson> value;  // the result
};
BOOST_DESCRIBE_STRUCT(OutcomeRecord, (WorkRecord), (value))
/// Slots that were edited by a fork.
struct EditedRecord {
    static constexpr std::string_view kind = "edited";
    std::int64_t at = 0;
    std::string run;
    JsonMap slots,  // whole values
        appended;   // as in TickRecord; a fork writes none
    static constexpr std::string_view demanded[] = {"at"};
};
BOOST_DESCRIBE_STRUCT(EditedRecord, (), (at, run, slots, appended))
/// Mail that does not fit the run.
struct RefusedRecord {
    static constexpr std::string_view kind = "refused";
    std::int64_t at = 0;
    std::string mail,  // its id
        run;           // the path of the child run that it was for; empty: the root
    static constexpr std::string_view demanded[] = {"at", "mail"};
};
BOOST_DESCRIBE_STRUCT(RefusedRecord, (), (at, mail, run))
/// A change to another declaration.
struct CarriedRecord {
    static constexpr std::string_view kind = "carried";
    std::int64_t at = 0;
    std::string hash;                // of the declaration from now on
    std::optional<NameMap> renames;  // RunOptions::renames
    std::string run,                 // as in TickRecord
        plan;                        // text of the declaration, unless the store has it
    static constexpr std::string_view demanded[] = {"at", "hash"};
};
BOOST_DESCRIBE_STRUCT(CarriedRecord, (), (at, hash, renames, run, plan))
/// More time for an undoing, because no engine has worked on the run for a while.
struct ProlongedRecord {
    static constexpr std::string_view kind = "prolonged";
    std::int64_t at = 0;
    std::string run;                       // as in TickRecord
    std::optional<std::int64_t> deadline;  // of the undoing from now on; absent in a fork
    static constexpr std::string_view demanded[] = {"at"};
};
BOOST_DESCRIBE_STRUCT(ProlongedRecord, (), (at, run, deadline))
/// A record of a later version, with a kind that is not a tick's.
struct OtherRecord : TickRecord {
    std::string other_kind;           // as it is stored
    std::optional<std::string> name;  // as in WorkRecord, if it has one
};
BOOST_DESCRIBE_STRUCT(OtherRecord, (TickRecord), (name))

using Record = std::variant<TickRecord, OnceRecord, BegunRecord, OutcomeRecord, EditedRecord, RefusedRecord,
                            CarriedRecord, ProlongedRecord, OtherRecord>;
/// A record with its number in the run.
struct JournalEntry {
    std::uint64_t number = 0;  // storage::StoredTick::seq
    Record record;
};

std::string_view kind_of(const Record&);  // as it is stored: "finished", "once"; valid as long as the record
std::string_view name(TickKind) noexcept;
std::int64_t time_of(const Record&);        // microseconds since 1970
const std::string& path_of(const Record&);  // the child run's; empty: the root
/// The members of a tick or of a record of a later version; null for other records.
const TickRecord* tick_of(const Record&);
/// Members that several record types share; empty where absent.
struct Labels {
    std::string_view step,      // the step's name
        name,                   // WorkRecord::name
        error,                  // sentence of a failure
        mail;                   // id of taken or refused mail
    std::uint64_t attempt = 0;  // from 1; 0: absent
};
Labels labels_of(const Record&);  // valid as long as the record
/// The declaration in force from this record on, and its text if the record has it; else empty.
struct Declaration {
    std::string_view hash,  // of the declaration
        plan;               // its text
};
Declaration declaration_of(const Record&);  // valid as long as the record
/// Slot changes of a record; null: none.
struct Edits {
    const JsonMap *slots = nullptr,  // whole values
        *appended = nullptr;         // arrays of items appended to lists
    /// Whether the record changes a slot.
    bool any() const { return slots && (!slots->empty() || !appended->empty()); }
};
Edits edits_of(const Record&);  // valid as long as the record
/// The end of the sleep that the record begins, in microseconds since 1970; empty for other records.
std::optional<std::int64_t> sleep_end_of(const Record&);

/// The id of the mail of each first cancellation, so that another one has no effect.
inline constexpr std::string_view cancel_mail = "weft:cancel";
/// The id of the mail that ends an undoing. Other cancellations have no effect on an undoing run: their senders may not
/// know of it.
inline constexpr std::string_view end_undoing_mail = "weft:cancel:undoing";
/// Mail for a run: an answer or a cancellation. Any program may have sent it, so its members may be JSON of any type.
struct MailRecord {
    std::optional<nlohmann::json> cancel,  // true: cancels the run; the other members then have no effect
        data,                              // the answer's JSON
        event,                             // the answer's name
        question,                          // id of the answered question; absent: the oldest that fits
        run;                               // path of the child run; absent: the root
};
BOOST_DESCRIBE_STRUCT(MailRecord, (), (cancel, data, event, question, run))

/// Whether a record of this type requires the member.
template <class T> constexpr bool demands(std::string_view member) {
    if constexpr (requires { T::demanded; })
        for (std::string_view name : T::demanded)
            if (name == member) return true;
    return false;
}

/// The state of a run, in place of its earlier records. Indexes in it refer to the declaration with the hash.
struct SnapshotRecord {
    std::string hash;                 // of the declaration in force
    std::uint64_t sum = 0;            // checksum of the last covered record
    NameMap plans;                    // texts of declarations, by hash
    std::vector<EventRecord> events;  // events of the state, which names them by their index here
    JsonMap slots;                    // whole values
    nlohmann::json state;             // the reducer's state: a core::KeptState
    static constexpr std::string_view demanded[] = {"hash", "sum", "plans", "events", "state"};
};
BOOST_DESCRIBE_STRUCT(SnapshotRecord, (), (hash, sum, plans, events, slots, state))
}
