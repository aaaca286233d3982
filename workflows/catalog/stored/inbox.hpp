// Answers the questions of stored runs, signals and cancels runs, without an engine: by mail, which the run's engine
// reads.
//
//     auto sent = send_answer(store, {.run = "4f2a", .event = "ApprovalEvent", .data = {{"granted", true}}});
//     if (!sent.is_new) ...                            // an answer with this id was already sent: nothing has changed
//
// An answer goes to the question that it names, else to the oldest that its event answers and that has no answer yet.
// If the catalogue has the workflow, event and data are checked against it. Throws Error{usage} or Error{bad_json} for
// a wrong answer, and for a run that has ended, is to be cancelled or is past its deadline; then nothing is sent.
#pragma once
#include "engine/store.hpp"
#include <nlohmann/json.hpp>

namespace weft::catalog {
struct AnswerToSend {
    std::string run;  // its id, or its beginnings id
    std::string event;
    nlohmann::json data;
    std::string question;  // its id; empty: the oldest that the event answers
    std::string id;        // the answer's: an answer sent twice counts once; empty: chosen
};
struct SentMail {
    std::string run, id;
    std::string question, asked;  // id and event of the answered question; empty for an event without a question
    bool is_new = true;
    bool checked = true;  // false: the catalogue does not have the workflow
};
SentMail send_answer(Store&, const AnswerToSend&);
struct SignalToSend {
    std::string run;  // its id, or its beginning
    std::string event;
    nlohmann::json data;
    std::string id;  // the signal's: a signal sent twice counts once; empty: chosen
};
/// Throws Error{usage} or Error{bad_json} as send_answer() does, and for an event that is no signal of the workflow,
/// with the names of its signals; also if the inbox is full (storage::most_unread_mail). For a workflow outside the
/// catalogue the stored declaration has the names, and the data are not checked.
SentMail send_signal(Store&, const SignalToSend&);
SentMail send_cancel(Store&, const std::string& run);
/// True if the mailbox has a cancellation that no engine has taken yet.
bool is_to_be_cancelled(Store&, const std::string& run);
}
