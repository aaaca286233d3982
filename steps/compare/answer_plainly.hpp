// A model's answer without tools, turns or memory: what an agent's answer is compared with.
//
//     auto plain = plain_answer.with(model, options);               // workflows/plain_answer.hpp
//     AnswerEvent answer = run(plain, {.text = "465 * 321?"});
//
// Starts, streams and ends as react does, so that whoever reads one reads both: AnswerDeltaEvent while the reply
// arrives, then an AnswerEvent. A reply that was cut off because it is too long has Outcome::limit. Error{usage} for a
// blank question, Error{model_refused} for a refusal, and whatever the model's client throws.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/llm/chat_model.hpp"
#include "steps/react/events.hpp"
#include "steps/react/options.hpp"

namespace weft::steps {
awaitable<AnswerEvent> answer_plainly(Context&, UserMessageEvent, llm::ChatModel&, const ReactOptions&);
}
