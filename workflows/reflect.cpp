// The step that runs sub-questions. It is not in steps/, because it includes a workflow, and includes go only downward.
#include "workflows/reflect.hpp"
#include "engine/durable.hpp"
#include "engine/run.hpp"
#include "engine/timeout.hpp"

namespace weft::workflows {
awaitable<std::variant<agents::BranchEvent, agents::BranchDoneEvent>> answer_sub_question(
    Context& ctx, agents::BranchEvent branch, models::ChatModel& model, const tools::Registry& tools,
    const agents::ReflectOptions& options) {
    auto& clock = co_await this_clock();
    const auto rest = agents::options_of_branch(ctx, branch, options, clock);
    // The child has its records in the journal of the run, so that a sub-question resumes after a crash.
    auto agent = durable(sub_question.with(model, tools, rest));
    auto asked = agents::begin_sub_question(ctx, branch, options);
    auto answer = co_await ctx.run(std::move(agent), std::move(asked));
    co_return agents::end_sub_question(ctx, std::move(branch), std::move(answer));
}
}
