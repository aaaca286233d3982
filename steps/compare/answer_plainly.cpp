// A reply that was cut off is an answer at the limit, as an agent's would be.
#include "steps/compare/answer_plainly.hpp"
#include "engine/context.hpp"
#include "engine/error.hpp"
#include "engine/utf8.hpp"
#include "steps/react/answer.hpp"
#include "steps/react/asking.hpp"
#include "steps/react/limits.hpp"

namespace weft::steps {
awaitable<AnswerEvent> answer_plainly(Context& ctx, UserMessageEvent question, llm::ChatModel& model,
                                      const ReactOptions& options) {
    if (question.text.find_first_not_of(" \t\r\n") == question.text.npos)
        throw Error(Code::usage, "the question is empty: ask something");
    llm::ChatRequest request;
    if (!options.system.empty()) request.messages.push_back(llm::instruction(options.system));
    request.messages.push_back(llm::user(repair_utf8(question.text)));
    request.sampling = options.sampling;
    const llm::OnDelta on_delta = [&ctx](std::string_view delta) { ctx.stream(AnswerDeltaEvent{std::string(delta)}); };
    auto asking = ask_model(ctx, model, std::move(request), options, false, on_delta);
    const auto asked = co_await std::move(asking);
    const auto& reply = asked.reply;
    check_refusal(ctx, reply, reply.text);
    ctx.edit<Progress>([](auto& progress) {
        progress.steps = 1;
        progress.limit = "length";
    });
    AnswerEvent answer;
    answer.response = reply.text;
    answer.outcome = reply.finish == llm::FinishReason::length ? Outcome::limit : Outcome::answered;
    tell_spent(answer, ctx.get<Progress>());
    answer.model = reply.model;
    co_return answer;
}
}
