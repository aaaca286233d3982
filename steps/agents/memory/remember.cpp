// A failed save does not invalidate the answer, so it is a warning; only a cancellation is thrown.
#include "steps/agents/memory/remember.hpp"
#include "engine/asio.hpp"
#include "engine/terminal.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/reasoning.hpp"

namespace weft::agents {
awaitable<void> remember(Context& ctx, Memory& memory, Exchange exchange) {
    return remember(ctx, memory, std::vector<RunExchange>{{ctx.run_id(), std::move(exchange)}});
}
awaitable<void> remember(Context& ctx, Memory& memory, std::vector<RunExchange> lessons) {
    std::string why;
    try {
        for (auto& lesson : lessons) memory.append(lesson.run, std::move(lesson.exchange));
        co_await memory.save();
        co_return;
    } catch (const boost::system::system_error& error) {
        if (error.code() == asio::error::operation_aborted) throw;
        why = sentence_of(std::current_exception());
    } catch (const std::exception& error) { why = error.what(); }
    ctx.stream(WarningEvent{repair_utf8(why)});
}
awaitable<void> remember_answer(Context& ctx, Memory& memory, const AnswerEvent& answer) {
    if (!is_answer(answer)) co_return;
    Exchange exchange;
    exchange.question = ctx.get<Conversation>().question;
    exchange.answer = answer.response;
    co_await remember(ctx, memory, std::move(exchange));
}
}
