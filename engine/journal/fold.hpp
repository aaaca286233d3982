// Folds the records of a run without its types: slots, open questions, deadline and end. Programs that show stored runs
// use it; engines fold the same records by the reducer (engine/core/fold.hpp).
//
//     const auto entries = read_entries(history);                   // engine/journal/format.hpp
//     const auto slots = fold_slots(entries);                       // {"current_reasoning": [...]}
//     for (auto& question : fold_questions(entries, history.mail, fits)) ...
//
// An answer closes the question that it names. Without a name it closes the oldest open question of a fitting type, as
// the engine does (engine/core/machine/questions.hpp). A listing may contain a question of a branch that a quorum has
// cancelled, because the records do not show it; an answer to it is dropped.
#pragma once
#include "engine/journal/record.hpp"
#include "engine/store.hpp"
#include <functional>

namespace weft::journal {
/// The slots of the run itself, by name; its child runs have slots of their own.
JsonMap fold_slots(const std::vector<JournalEntry>&);
/// The same from the snapshot and the ticks after it, which are enough. Throws Error{journal} for damaged ones.
JsonMap fold_slots(const storage::History&);

struct OpenQuestion {
    nlohmann::json id;
    std::string event;
    nlohmann::json data;
    std::int64_t at = 0;    // time of the question, in microseconds since 1970
    std::string run;        // path of the asking child run; empty: the root
    bool answered = false;  // an answer is in the inbox, not yet taken by a tick
};
/// Whether an event answers questions of this type; both are names.
using Fits = std::function<bool(const std::string& event, const std::string& question)>;
/// Open questions, oldest first.
std::vector<OpenQuestion> fold_questions(const std::vector<JournalEntry>&, const std::vector<storage::Mail>&,
                                         const Fits&);

/// Whether the inbox has a cancellation.
bool has_cancel(const std::vector<storage::Mail>&);

/// The course of the root run: the declarations in their order, its deadline, and its end.
struct RunCourse {
    std::vector<std::string> hashes;
    std::optional<std::int64_t> deadline;  // of the undoing, once it has begun
    std::string undoes_after;              // name of the status that the run has after its undoing; empty: not begun
    bool is_ending = false;
};
RunCourse fold_course(const std::vector<JournalEntry>&);
}
