// A reply that was cut off is an answer at the limit, as an agent's would be.
#include "steps/compare/answer_plainly.hpp"
#include "engine/context.hpp"
#include "engine/error.hpp"
#include "engine/timeout.hpp"
#include "engine/utf8.hpp"
#include "steps/react/answer.hpp"
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
    auto& clock = co_await this_clock();
    prepare_request(ctx, request, options, clock.now());
    const llm::OnDelta on_delta = [&ctx](std::string_view delta) { ctx.stream(AnswerDeltaEvent{std::string(delta)}); };
    auto reply = co_await model.chat(request, on_delta);
    check_refusal(reply, reply.text);
    AnswerEvent answer;
    answer.response = std::move(reply.text);
    answer.outcome = reply.finish == llm::FinishReason::length ? Outcome::limit : Outcome::answered;
    Progress progress;
    progress.steps = 1;
    progress.limit = "length";
    count(progress.spent, reply, model.name(), options.prices.get());
    tell_spent(answer, progress);
    answer.model = std::move(reply.model);
    co_return answer;
}
}
