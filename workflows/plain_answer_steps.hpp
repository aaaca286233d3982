// A model's answer without tools, turns or memory, for comparison with an agent's answer.
//
//     auto plain = plain_answer.with(model, options);               // workflows/plain_answer.hpp
//     AnswerEvent answer = run(plain, {.text = "465 * 321?"});
// The step has the same start, stream and end as react, so that one reader serves both: AnswerDeltaEvents while the
// reply arrives, then an AnswerEvent, with AnswerOutcome::limit for a reply cut off by its length. It throws
// Error{usage} for a blank question, Error{model_refused} for a refusal, and the exceptions of the model's client.
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
