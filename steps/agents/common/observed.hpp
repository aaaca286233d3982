// Requests to models and calls of tools as operations of their step (engine/operation.hpp), with the attributes that
// the semantic conventions of OpenTelemetry for generative AI give them. These are in development: the names are those
// of open-telemetry/semantic-conventions-genai in mid-2026.
//
//     auto asking = chat_observed(ctx, model, request, on_delta);     // in place of model.chat(request, on_delta)
//     auto reply = co_await ctx.once("chat", std::move(asking));      // a reply that is recorded is told to nobody
//
// Prompts, replies, arguments and results are attributes only if an observer wants content; each text of them is cut to
// 4 KB, and of the messages the last 32 are shown.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/models/chat_model.hpp"
#include "tools/registry.hpp"

namespace weft::agents {
/// The request, which gets the trace context that is to be sent along, the model and the listener outlive it.
awaitable<models::ChatReply> chat_observed(Context&, models::ChatModel&, models::ChatRequest&, const models::OnDelta&);
awaitable<models::ChatReply> chat_observed(Context&, models::ChatModel&, models::ChatRequest&);

struct ObservedCall {
    std::string tool, arguments;
    std::string id;  // the call's
};
/// The work of a call. The registry outlives it.
awaitable<tools::Observation> call_observed(Context&, const tools::Registry&, ObservedCall,
                                            awaitable<tools::Observation> work);
}
