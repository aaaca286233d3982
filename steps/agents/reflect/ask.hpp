// Common functions of the steps that ask the model.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/reflect/options.hpp"
#include "steps/agents/reflect/turns.hpp"
#include <functional>
#include <optional>

namespace weft::agents::inline reflect_steps {
class ReflectionStream;
/// Makes the messages of a request, with at most `bytes` of the run's past; the needed parts always stay.
using MakePrompt = std::function<std::vector<models::Message>(std::size_t bytes)>;
/// Asks with the longest prompt that has room (prompt_bound()), and again with a shorter one if the model refuses it as
/// too long. The text of the reply is UTF-8. If the budget has no room for a request, closes the run and returns
/// nothing. Throws Error{model_refused} if the model refuses. The stream gets the reply while it arrives. All arguments
/// must outlive the call.
awaitable<std::optional<models::ChatReply>> ask(Context&, models::ChatModel&, const MakePrompt&, const ReflectOptions&,
                                                ReflectionStream* = nullptr);
/// The same, but closes the run and returns nothing if the budget has no room for a request besides the closing one.
awaitable<std::optional<models::ChatReply>> ask_with_room(Context&, models::ChatModel&, const MakePrompt&,
                                                          const ReflectOptions&);

/// The fault of a reply that was cut off or has no text; else `error`, the fault of the text.
std::string error_of(const models::ChatReply&, std::string error);

/// Returns the faults for the next try, with this reply as the last one. Throws Error{model_failed} after the last try.
std::vector<FaultyReply> add_fault(Context&, std::vector<FaultyReply> faults, const std::string& error,
                                   const models::ChatReply&, const ReflectOptions&);
/// Takes the reflection of this turn out of CurrentReflection.
std::string take_reflection(Context&);
}
