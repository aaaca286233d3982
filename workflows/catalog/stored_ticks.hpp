// Reads the ticks of a stored run, and folds them: its slots as they are now, and its open questions.
//
//     const auto ticks = read_ticks(history);                       // Error{journal} that names run and tick
//     const auto slots = fold_slots(ticks);                         // {"current_reasoning": [...]}
//     for (auto& question : open_questions(ticks, history.mail, fits)) ...
//
// An answer closes the question that it is addressed to. Without an address it closes the oldest open one of a type
// that it answers, as the engine has it (engine/core/questions.hpp). A question of a branch that a quorum has cancelled
// is still listed: ticks do not say which these are, and an answer to it is dropped.
#pragma once
#include "engine/describe.hpp"
#include "engine/store.hpp"
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

namespace weft::catalog {
struct TickEvent {
    std::string event;
    nlohmann::json data;
    std::string sum;  // in place of the data, where the step can make the event again
    static constexpr std::string_view optional_fields[] = {"data", "sum"};
};
BOOST_DESCRIBE_STRUCT(TickEvent, (), (event, data, sum))
struct AskedQuestion {
    nlohmann::json question;  // its id
    std::string event;
};
BOOST_DESCRIBE_STRUCT(AskedQuestion, (), (question, event))
/// Of a tick's body, what listings and folds need.
struct TickBody {
    std::string tick;     // its kind
    std::int64_t at = 0;  // microseconds since 1970
    std::string run;      // the path of a child run; empty: the run itself
    std::string step, error, code, cause, mail, name, hash;
    int attempt = 0;
    std::vector<TickEvent> events;
    std::vector<AskedQuestion> asked;
    nlohmann::json question;  // that an answer was addressed to; null: to none
    std::map<std::string, nlohmann::json> slots, appended;
    std::optional<std::int64_t> due;
    static constexpr std::string_view optional_fields[] = {"run",   "step",     "error", "code",    "cause",
                                                           "mail",  "name",     "hash",  "attempt", "events",
                                                           "asked", "question", "slots", "appended"};
};
BOOST_DESCRIBE_STRUCT(TickBody, (),
                      (tick, at, run, step, error, code, cause, mail, name, hash, attempt, events, asked, question,
                       slots, appended, due))
struct Tick {
    std::uint64_t number = 0;
    TickBody body;
    nlohmann::json all;  // the whole body, with what the struct does not have
};
/// Throws Error{bad_json} for a body that is none.
Tick read_tick(const storage::StoredTick&);
/// Throws Error{journal} that names run and tick.
std::vector<Tick> read_ticks(const storage::History&);
/// For programs: `tick` is the number, `kind` the kind, times are in ISO 8601, ids of questions are texts; `step`,
/// `events` and `slots` are always there.
nlohmann::json to_line(const Tick&);

/// Of the run itself, by name; its child runs have slots of their own.
std::map<std::string, nlohmann::json> fold_slots(const std::vector<Tick>&);

struct OpenQuestion {
    std::string question;  // its id; of a child run behind the path of that: "4.1.1.0#2"
    std::string event;
    nlohmann::json data;
    std::string asked;               // when, in ISO 8601
    std::optional<std::string> run;  // the path of the child run that has asked
    bool answered = false;           // the answer is in the inbox, and no tick has taken it yet
    nlohmann::json key;              // the id as the ticks have it
    static constexpr std::string_view undescribed_fields[] = {"key"};
};
/// The id of a question that a tick of this run tells: what `question` of an open one is.
std::string question_id(const nlohmann::json& key, const std::string& run);
BOOST_DESCRIBE_STRUCT(OpenQuestion, (), (question, event, data, asked, run, answered))
/// Whether an event answers questions of this type, both by name.
using Fits = std::function<bool(const std::string& event, const std::string& question)>;
/// The oldest first.
std::vector<OpenQuestion> open_questions(const std::vector<Tick>&, const std::vector<storage::Mail>&, const Fits&);

/// Whether the run is to be cancelled.
bool has_cancel(const std::vector<storage::Mail>&);
}
