// A model's answer without tools, turns or memory: what an agent's answer is compared with.
//
//     auto plain = plain_answer.with(model, options);               // workflows/plain_answer.hpp
//     AnswerEvent answer = run(plain, {.text = "465 * 321?"});
// Starts, streams and ends as react does, so that the same code reads both: AnswerDeltaEvent while the reply arrives,
// then an AnswerEvent. A reply that was cut off because it is too long has AnswerOutcome::limit. Error{usage} for a
// blank question, Error{model_refused} for a refusal, and whatever the model's client throws.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/options.hpp"
#include "steps/models/chat_model.hpp"

namespace weft::workflows {
awaitable<agents::AnswerEvent> answer_plainly(Context&, agents::UserMessageEvent, models::ChatModel&,
                                              const agents::ReactOptions&);
}
