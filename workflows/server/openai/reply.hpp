// Types that the writers of answers share (chat.hpp, responses.hpp). The writers make texts of values, always valid
// UTF-8 and JSON, for any bytes in the values.
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
/// Constant for one answer. The id has letters and digits, and is unique.
struct OpenaiHead {
    std::string id, model;
    std::int64_t created = 0;
};
enum class OpenaiFinish {
    stop,    // the answer is complete, or a question to the caller
    length,  // the run has reached a limit; this is its best answer
};
/// Maximum bytes of text in one event, since some readers of streams limit a line. Cuts are between characters.
inline constexpr std::size_t max_openai_piece = 16 << 10;

/// The answer to one request, as AnswerText (answer.hpp) has it at the end.
struct OpenaiAnswer {
    std::string text;
    OpenaiFinish finish = OpenaiFinish::stop;
    models::Usage usage;
};
}
