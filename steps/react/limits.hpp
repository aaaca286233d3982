// When a run of an agent comes to its end without an answer: the limit of steps, and the budget. What the steps of all
// agents have in common.
#pragma once
#include "engine/context.hpp"
#include "steps/llm/model_error.hpp"
#include "steps/react/events.hpp"
#include "steps/react/options.hpp"
#include "steps/react/reasoning.hpp"

namespace weft::steps {
/// From here on no tool runs. The first cause stays.
void close(Progress&, std::string limit);
/// Counts a turn of the model, unless a bound is reached: then the run closes.
void begin_step(Progress&, const ReactOptions&, int requests = 1);  // of the turn

/// A turn's request as the budget allows it, and whom it tells what happens on its way.
void prepare_request(Context&, llm::ChatRequest&, const ReactOptions&, std::chrono::steady_clock::time_point now);
/// Before the model is asked. False if there is no time left for a turn that is not the last one: the run closes.
bool begin_asking(Context&, const ReactOptions&, std::chrono::steady_clock::time_point now, bool closing);
/// After it has replied to the request. Throws Error{configuration} if there is a bound of cost and no price of it.
void count_reply(Context&, const llm::ChatRequest&, const llm::ChatReply&, const llm::ChatModel&, const ReactOptions&,
                 std::chrono::steady_clock::time_point now);
/// After it has refused, and the run goes on in another way.
void count_refusal(Context&, const llm::ModelError&);
/// The prompt was refused as too long: the next one has half of its size, as far as there is anything to leave out.
void shorten(Context&, const std::vector<llm::Message>& refused);
/// Tells what had come of a reply that broke off.
void tell_partial(Context&, const llm::ModelError&);
/// What a run has spent, as its answer says it; and back, for the run that it was a part of.
void tell_spent(AnswerEvent&, const Progress&);
Spent spent_by(const AnswerEvent&);
/// The most tokens of a prompt: by the options, and by what the model has refused. 0: no bound.
std::size_t prompt_bound(const ReactOptions&, const Progress&);
/// Why no tool runs any more, for the model: the beginning of a sentence.
std::string closing_reason(std::string_view limit);
}
