// A model's reply as a value: requested by schema, always checked, and requested again if it does not fit.
//
//     models::ChatRequest request{.messages = {models::user("Sales of Q1 and Q2 of 2024 from: " + text)}};
//     Sales sales = co_await ask_for<Sales>(model, std::move(request));
//
// Throws Error{model_failed} with the last mistake if the first reply and `repairs` further ones do not fit,
// Error{model_refused} after a refusal, and the model's own exceptions. The model must outlive the call.
#pragma once
#include "steps/agents/common/answer_form.hpp"

namespace weft::agents {
/// Sends a request. An agent's function keeps to the budget and counts the request.
using AskModel = std::function<awaitable<models::ChatReply>(models::ChatRequest)>;
/// Requests a reply that fits the form, and returns its value; throws as ask_for does. Adds the form's instruction and
/// schema to the request, and each unfit reply with its mistake to the next one.
awaitable<nlohmann::json> ask_json(AskModel, models::ChatRequest, std::shared_ptr<const AnswerForm>, int repairs = 2);
awaitable<nlohmann::json> ask_json(models::ChatModel&, models::ChatRequest, std::shared_ptr<const AnswerForm>,
                                   int repairs = 2);
/// The message to a model about an answer that does not fit.
std::string repair_words(const std::string& mistake);

template <class T> awaitable<T> ask_for(models::ChatModel& model, models::ChatRequest request, int repairs = 2) {
    const auto value = co_await ask_json(model, std::move(request), answer_form<T>(), repairs);
    co_return from_json<T>(value, "answer");
}
}
