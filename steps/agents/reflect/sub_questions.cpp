// One branch has all sub-questions in order, or each has its own if they run side by side. A sub-question may spend the
// rest of the budget, or a third of it beside others. The expenses of a failed one count, too.
#include "engine/error.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/limits.hpp"
#include "steps/agents/common/model_request.hpp"
#include "steps/agents/reflect/ask.hpp"
#include "steps/agents/reflect/conclude.hpp"
#include "steps/agents/reflect/events.hpp"
#include "steps/agents/reflect/prompts.hpp"
#include "steps/agents/reflect/replies.hpp"
#include "steps/agents/reflect/running_context.hpp"
#include "steps/agents/reflect/steps.hpp"
#include "steps/agents/reflect/sub_answers.hpp"
#include <algorithm>

namespace weft::agents::inline reflect_steps {
namespace {
/// Records the result of a decomposition as an observation.
void observe(Context& ctx, const std::string& call, std::string text, std::string note, bool ok) {
    ReasoningStep step{.kind = ReasoningKind::observation};
    step.call = call;
    step.tool = decomposition;
    for (const auto& earlier : ctx.get<CurrentReasoning>())
        if (earlier.call == call && earlier.kind == ReasoningKind::action) step.arguments = earlier.arguments;
    step.text = std::move(text);
    step.note = std::move(note);
    step.ok = ok;
    ctx.edit<CurrentReasoning>([&step](auto& reasoning) { reasoning.push_back(std::move(step)); });
}
std::string left_out(const Context& ctx) {
    const auto& rest = ctx.get<Decompositions>().left_out;
    if (rest.empty()) return {};
    std::string note = "only the first " + std::to_string(ReflectOptions::max_sub_questions) +
                       " sub-questions were answered. Not asked: ";
    for (std::size_t i = 0; i < rest.size(); ++i) (note += i ? " | " : "") += rest[i];
    return note;
}
/// Records a failed decomposition, in the form of a failed tool.
ReflectEvent fail(Context& ctx, const std::string& call, const std::string& why) {
    ctx.stream(ResultEvent{0, std::string(decomposition), "Error: " + why, false});
    observe(ctx, call, "Error: " + why, left_out(ctx), false);
    return {};
}
/// Takes the expenses of a failed step from its exception, because the slot has lost them. Exceptions are not stored:
/// if the run resumes in another process, the expenses of that step are missing.
void take_account(Context& ctx, const std::exception_ptr& cause) {
    if (!cause) return;
    try {
        std::rethrow_exception(cause);
    } catch (const SpentBeforeFailure& then) {
        ctx.edit<Progress>([&then](auto& progress) { progress.spent = then.spent; });
    } catch (...) {}
}
std::vector<BranchEvent> branches(Context& ctx, const std::string& call, std::vector<std::string> texts,
                                  const ReflectOptions& options) {
    std::vector<BranchEvent> all;
    ctx.edit<Decompositions>([&](auto& made) {
        for (auto& text : texts) {
            if (all.empty() || options.parallel) all.emplace_back().call = call;
            all.back().questions.push_back({++made.sub_questions, std::move(text)});
        }
    });
    return all;
}
}

awaitable<std::variant<std::vector<BranchEvent>, DecomposeEvent, ReflectEvent>> decompose_question(
    Context& ctx, DecomposeEvent event, models::ChatModel& model, const tools::Registry& tools,
    const ReflectOptions& options) {
    const MakePrompt prompt = [&](std::size_t bytes) {
        return messages_for(decomposition_prompt(tools, options),
                            question_message(event.question, growing_context(ctx, bytes)), event.faults, bytes);
    };
    const auto reply = co_await ask_with_room(ctx, model, prompt, options);
    if (!reply) co_return fail(ctx, event.call, "the budget has no room for sub-questions");
    auto read = read_sub_questions(reply->text);
    if (const auto error = error_of(*reply, read.error); !error.empty()) {
        event.faults = add_fault(ctx, std::move(event.faults), error, *reply, options);
        co_return std::move(event);
    }
    end_faults(ctx);
    auto& texts = read.sub_questions;
    const auto kept = std::min(texts.size(), ReflectOptions::max_sub_questions);
    ctx.edit<Decompositions>([&](auto& made) {
        ++made.count;
        made.question = event.question;
        made.left_out.assign(texts.begin() + static_cast<std::ptrdiff_t>(kept), texts.end());
    });
    texts.resize(kept);
    ctx.stream(DecompositionEvent{texts, reply->usage});
    co_return branches(ctx, event.call, std::move(texts), options);
}

ReflectOptions options_of_branch(const Context& ctx, const BranchEvent& branch, const ReflectOptions& options,
                                 const Clock& clock) {
    auto progress = ctx.get<Progress>();
    begin_turn(progress.spent, clock);
    for (const auto& answer : sub_answers_of(ctx, branch.call)) add(progress.spent, answer.spent);
    auto rest = options;
    leave_rest(rest, progress);
    if (!options.parallel) return rest;
    constexpr auto parts = static_cast<int>(ReflectOptions::max_sub_questions);
    rest.budget = part_of(rest.budget, parts);
    rest.max_retries /= parts;
    return rest;
}
SubQuestionAskedEvent begin_sub_question(Context& ctx, const BranchEvent& branch, const ReflectOptions& options) {
    const auto& question = branch.questions.front();
    ctx.stream(SubQuestionEvent{question.number, question.text});
    SubQuestionAskedEvent asked;
    asked.number = question.number;
    asked.text = question.text;
    const auto without = options.parallel ? std::string_view(branch.call) : std::string_view();
    asked.background = context_entry("MAIN QUESTION", ctx.get<Inquiry>().question) + '\n' +
                       running_context(ctx, options.max_context / 2, without);
    for (const auto& allowed : ctx.get<AllowedTools>()) asked.allowed.push_back(allowed);
    return asked;
}
std::variant<BranchEvent, BranchDoneEvent> end_sub_question(Context& ctx, BranchEvent branch, AnswerEvent answer) {
    SubAnswer found;
    found.call = branch.call;
    found.question = std::move(branch.questions.front());
    found.text = std::move(answer.response);
    found.outcome = answer.outcome;
    found.reasoning = std::move(answer.reasoning);
    found.sources = std::move(answer.sources);
    found.spent = spent_by(answer);
    ctx.stream(SubAnswerEvent{found.question.number, found.text, found.outcome});
    ctx.edit<SubAnswers>([&found](auto& answers) { answers.push_back(std::move(found)); });
    ctx.edit<AllowedTools>([&answer](auto& all) {
        for (auto& allowed : answer.always_allowed)
            if (std::find(all.begin(), all.end(), allowed) == all.end()) all.push_back(std::move(allowed));
    });
    branch.questions.erase(branch.questions.begin());
    if (!branch.questions.empty()) return branch;
    return BranchDoneEvent{branch.call};
}

SummariseEvent collect_answers(Context& ctx, std::vector<BranchDoneEvent> done) {
    const auto answers = sub_answers_of(ctx, done.front().call);
    ctx.edit<Progress>([&answers](auto& progress) {
        for (const auto& answer : answers) add(progress.spent, answer.spent);
    });
    return {.call = std::move(done.front().call)};  // a decomposition has at least one sub-question
}

awaitable<std::variant<SummariseEvent, ReflectEvent>> summarise_answers(Context& ctx, SummariseEvent event,
                                                                        models::ChatModel& model,
                                                                        const ReflectOptions& options) {
    const auto answers = sub_answers_of(ctx, event.call);
    const auto question = ctx.get<Decompositions>().question;
    if (std::none_of(answers.begin(), answers.end(),
                     [](const auto& a) { return a.outcome != AnswerOutcome::failed; })) {
        co_return fail(ctx, event.call,
                       "none of the sub-questions has an answer. Go another way.\n" + answers_text(question, answers));
    }
    const MakePrompt prompt = [&](std::size_t bytes) {
        return messages_for(summary_prompt(options), models::user(answers_text(question, answers, bytes)), event.faults,
                            bytes);
    };
    const auto reply = co_await ask_with_room(ctx, model, prompt, options);
    if (!reply) {  // the list of answers replaces the summary
        observe(ctx, event.call, answers_text(question, answers), left_out(ctx), true);
        co_return ReflectEvent{};
    }
    auto read = read_summary(reply->text);
    if (const auto error = error_of(*reply, read.error); !error.empty()) {
        event.faults = add_fault(ctx, std::move(event.faults), error, *reply, options);
        co_return std::move(event);
    }
    end_faults(ctx);
    ctx.stream(SummaryEvent{read.summary, reply->usage});
    observe(ctx, event.call, std::move(read.summary), left_out(ctx), true);
    co_return ReflectEvent{};
}

AnswerEvent give_up(Context& ctx, StepFailedEvent failure) {
    for (const auto code : {Code::usage, Code::configuration, Code::script_mismatch})
        if (failure.code == name(code)) throw Error(code, failure.error);
    take_account(ctx, failure.cause);
    return conclude(ctx, AnswerOutcome::failed, std::move(failure.error), false);
}
}
