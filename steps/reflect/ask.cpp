// The stop sequence keeps the model from telling what a tool has said. A faulty reply is shown to it again, cut, with
// what was wrong.
#include "steps/reflect/ask.hpp"
#include "engine/context.hpp"
#include "engine/error.hpp"
#include "engine/timeout.hpp"
#include "engine/utf8.hpp"
#include "steps/react/limits.hpp"
#include "steps/reflect/events.hpp"
#include "steps/reflect/reflection_stream.hpp"

namespace weft::steps {
namespace {
constexpr std::size_t longest_faulty_reply = 4 << 10;  // that the model is shown again

std::string shown(const std::string& text, std::size_t limit) {
    const auto part = utf8_cut(text, limit);
    return std::string(part) + (part.size() < text.size() ? "... [cut]" : "");
}
/// What the deltas go to: nobody, if there is no stream. What was told of a reply that breaks off can be taken back, so
/// it is asked for again, as one of which nothing was told.
llm::OnDelta listen(llm::ChatRequest& request, ReflectionStream* stream) {
    if (!stream) return {};
    request.restart = true;
    request.on_note = [stream, tell = std::move(request.on_note)](const llm::CallNote& note) {
        if (note.kind == llm::CallNote::Kind::restart) stream->begin_anew();
        tell(note);
    };
    return [stream](std::string_view delta) { stream->hear(delta); };
}
}

awaitable<llm::ChatReply> ask(Context& ctx, llm::ChatModel& model, std::vector<llm::Message> messages,
                              const ReflectOptions& options, ReflectionStream* stream) {
    llm::ChatRequest request;
    request.messages = std::move(messages);
    request.stop = {"OBSERVATION >>"};
    request.sampling = options.sampling;
    auto& clock = co_await this_clock();
    prepare_request(ctx, request, options, clock.now());
    begin_asking(ctx, options, clock.now(), true);
    const auto on_delta = listen(request, stream);
    auto chatting = model.chat(request, on_delta);
    auto reply = co_await std::move(chatting);
    reply.text = repair_utf8(reply.text);
    count_reply(ctx, request, reply, model, options, clock.now());
    if (reply.finish == llm::FinishReason::refused)
        throw Error(Code::model_refused,
                    "the model refuses to reply to this" + (reply.text.empty() ? "" : ": " + shown(reply.text, 300)));
    co_return reply;
}
std::string error_of(const llm::ChatReply& reply, std::string error) {
    if (reply.finish != llm::FinishReason::length) return error;
    return "it was cut off, because it is longer than the model may write. Reply more briefly";
}
std::vector<FaultyReply> add_fault(Context& ctx, std::vector<FaultyReply> faults, const std::string& error,
                                   const llm::ChatReply& reply, const ReflectOptions& options) {
    const auto number = ctx.get<Inquiry>().sub_question;
    ctx.stream(RetryEvent{number, error, reply.text, reply.usage});
    faults.push_back({shown(reply.text, longest_faulty_reply), error});
    const auto tries = faults.size();
    if (tries >= static_cast<std::size_t>(options.max_faults))
        throw Error(Code::model_failed, std::to_string(tries) +
                                            " replies of the model in a row could not be followed; the last one: " +
                                            error + ". Another model may do better");
    ReasoningStep step{.kind = ReasoningKind::fault, .ok = false};
    step.thought = take_reflection(ctx);
    step.text = error;
    step.reply = faults.back().reply;
    ctx.edit<CurrentReasoning>([&step](auto& reasoning) { reasoning.push_back(std::move(step)); });
    return faults;
}
std::string take_reflection(Context& ctx) {
    std::string text;
    ctx.edit<CurrentReflection>([&text](auto& reflection) { text = std::exchange(reflection.text, {}); });
    return text;
}
}
