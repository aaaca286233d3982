// Requests to models and calls of tools as operations of their step (engine/operation.hpp), with the attributes of
// OpenTelemetry's semantic conventions for generative AI. These conventions are in development: the names are from
// open-telemetry/semantic-conventions-genai in mid-2026.
//
//     auto asking = chat_observed(ctx, model, request, on_delta);     // in place of model.chat(request, on_delta)
//     auto reply = co_await ctx.once("chat", std::move(asking));      // a recorded reply is not streamed
//
// Prompts, replies, arguments and results are attributes only if an observer wants content: the last 32 messages, each
// text cut to 4 KB.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/models/chat_model.hpp"
#include "tools/registry.hpp"

namespace weft::agents {
/// Sets the trace context in the request. The request, the model and the listener must outlive the call.
awaitable<models::ChatReply> chat_observed(Context&, models::ChatModel&, models::ChatRequest&, const models::OnDelta&);

struct ObservedCall {
    std::string tool, arguments;
    std::string id;  // the call's
};
/// Runs the work of a call. The registry must outlive it.
awaitable<tools::Observation> call_observed(Context&, const tools::Registry&, ObservedCall,
                                            awaitable<tools::Observation> work);
}
