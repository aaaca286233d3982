// A reply that was cut off is an answer at the limit, as in an agent.
#include "workflows/plain_answer_steps.hpp"
#include "engine/context.hpp"
#include "engine/error.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/limits.hpp"
#include "steps/agents/common/model_request.hpp"

namespace weft::workflows {
awaitable<agents::AnswerEvent> answer_plainly(Context& ctx, agents::UserMessageEvent question, models::ChatModel& model,
                                              const agents::ReactOptions& options) {
    agents::check_question(question.text);
    models::ChatRequest request;
    if (!options.system.empty()) request.messages.push_back(models::instruction(options.system));
    request.messages.push_back(models::user(repair_utf8(question.text)));
    request.sampling = options.sampling;
    const models::OnDelta on_delta = [&ctx](std::string_view delta) {
        ctx.stream(agents::AnswerDeltaEvent{std::string(delta)});
    };
    const auto asked = co_await ask_model(ctx, model, std::move(request), options, false, on_delta);
    const auto& reply = asked.reply;
    agents::check_refusal(ctx, reply, reply.text);
    if (const auto lack = agents::lack_of(reply); !lack.empty())
        throw agents::AgentError(ctx, Code::model_failed,
                                 "the model gave no answer: " + lack +
                                     (reply.finish == models::FinishReason::length
                                          ? ", up to the limit of its tokens: raise this limit"
                                          : ""));
    ctx.edit<agents::Progress>([](auto& progress) {
        progress.steps = 1;
        progress.limit = "length";
    });
    agents::AnswerEvent answer;
    answer.response = reply.text;
    answer.outcome = reply.finish == models::FinishReason::length ? agents::AnswerOutcome::limit
                                                                  : agents::AnswerOutcome::answered;
    tell_spent(answer, ctx.get<agents::Progress>());
    answer.model = reply.model;
    co_return answer;
}
}
