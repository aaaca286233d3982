// A model's reply as a value: asked for by schema, checked always, and asked for again where it does not fit.
//
//     models::ChatRequest request{.messages = {models::user("Sales of Q1 and Q2 of 2024 from: " + text)}};
//     Sales sales = co_await ask_for<Sales>(model, std::move(request));
//
// After `repairs` replies in a row that do not fit it is Error{model_failed} with the last mistake. A refusal is
// Error{model_refused}. Anything else is what the model throws. The model outlives the call.
#pragma once
#include "steps/agents/common/answer_form.hpp"

namespace weft::agents {
/// How it is asked for. An agent asks so that each request keeps to its budget and counts in its account.
using AskFor = std::function<awaitable<models::ChatReply>(models::ChatRequest)>;
awaitable<nlohmann::json> ask_json(AskFor, models::ChatRequest, std::shared_ptr<const AnswerForm>, int repairs = 2);
awaitable<nlohmann::json> ask_json(models::ChatModel&, models::ChatRequest, std::shared_ptr<const AnswerForm>,
                                   int repairs = 2);
/// What a model is told about an answer that does not fit.
std::string repair_words(const std::string& mistake);

template <class T> awaitable<T> ask_for(models::ChatModel& model, models::ChatRequest request, int repairs = 2) {
    const auto value = co_await ask_json(model, std::move(request), answer_form<T>(), repairs);
    co_return from_json<T>(value, "answer");
}
}
