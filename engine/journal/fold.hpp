// Folds the records of a run without its types: slots, open questions, deadline and end. Programs that show stored runs
// use it; engines fold the same records by the reducer (engine/core/fold.hpp).
//
//     const auto entries = read_entries(history);                   // engine/journal/format.hpp
//     const auto slots = fold_slots(entries);                       // {"current_reasoning": [...]}
//     for (auto& question : fold_questions(entries, history.mail, fits)) ...
//
// An answer closes the question that it is addressed to. Without an address it closes the oldest open one of a type
// that it answers, as the engine has it (engine/core/machine/questions.hpp). A question of a branch that a quorum has
// cancelled is still listed: records do not say which these are, and an answer to it is dropped.
#pragma once
#include "engine/journal/record.hpp"
#include "engine/store.hpp"
#include <functional>

namespace weft::journal {
/// The slots of the run itself, by name; its child runs have slots of their own.
JsonMap fold_slots(const std::vector<Entry>&);

struct OpenQuestion {
    nlohmann::json id;
    std::string event;
    nlohmann::json data;
    std::int64_t at = 0;    // when it was asked, in microseconds since 1970
    std::string run;        // the path of the child run that has asked; empty: the root
    bool answered = false;  // the answer is in the inbox, and no tick has taken it yet
};
/// Whether an event answers questions of this type, both by name.
using Fits = std::function<bool(const std::string& event, const std::string& question)>;
/// The oldest first.
std::vector<OpenQuestion> fold_questions(const std::vector<Entry>&, const std::vector<storage::Mail>&, const Fits&);

/// Whether the run is to be cancelled.
bool has_cancel(const std::vector<storage::Mail>&);

/// The run itself: the declarations that it was made under, in their order, when it has to end, and whether it ends.
struct Course {
    std::vector<std::string> hashes;
    std::optional<std::int64_t> deadline;
    bool is_ending = false;
};
Course fold_course(const std::vector<Entry>&);
}
