// What the writers of answers have in common: openai_chat.hpp and openai_responses.hpp. All take values and give text;
// whatever bytes they are given, what they write is valid UTF-8 and JSON.
//
//     OpenaiHead head;
//     head.id = run_id;                // the writers put chatcmpl-, resp_ or msg_ before it
//     head.model = request.model->id;
//     head.created = seconds;          // since 1970
#pragma once
#include "steps/models/chat_model.hpp"
#include "workflows/server/openai/error.hpp"
#include <cstdint>
#include <string>

namespace weft::server {
/// Stays the same for the whole of an answer. The id: letters and digits, different for each answer.
struct OpenaiHead {
    std::string id, model;
    std::int64_t created = 0;
};
enum class OpenaiFinish {
    stop,    // the answer is whole, or it is a question to the caller
    length,  // the run has come to a limit: this is the best that was found
};
/// The pieces of an answer are cut into events of at most so many bytes of text, since some readers of streams bound a
/// line. Cuts are between characters.
inline constexpr std::size_t max_openai_piece = 16 << 10;

/// What came to be said for one request, as AnswerText (openai_answer.hpp) has it at the end.
struct OpenaiAnswer {
    std::string text;
    OpenaiFinish finish = OpenaiFinish::stop;
    models::Usage usage;
};
}
