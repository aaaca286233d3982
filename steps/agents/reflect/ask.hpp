// Functions that the steps which ask the model share.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/reflect/options.hpp"
#include "steps/agents/reflect/turns.hpp"
#include <functional>
#include <optional>

namespace weft::agents::inline reflect_steps {
class ReflectionStream;
/// The messages of a request, with at most so many bytes of what has happened, and always with what cannot be left out.
using MakePrompt = std::function<std::vector<models::Message>(std::size_t bytes)>;
/// Asks with the longest prompt that has room (prompt_bound()), and once more with a shorter one if the model refuses
/// it as too long. The text of the reply is UTF-8. None if the budget has no room for any request: then the run closes.
/// Error{model_refused} if the model refuses. The stream gets the reply while it arrives. All arguments outlive the
/// call.
awaitable<std::optional<models::ChatReply>> ask(Context&, models::ChatModel&, const MakePrompt&, const ReflectOptions&,
                                                ReflectionStream* = nullptr);
/// The same, and none if the budget has no room for another turn.
awaitable<std::optional<models::ChatReply>> ask_with_room(Context&, models::ChatModel&, const MakePrompt&,
                                                          const ReflectOptions&);

/// Why this reply cannot be followed although its text could: it was cut off; or why it has none. Else the error is
/// given back.
std::string error_of(const models::ChatReply&, std::string error);

/// The faults of the next try, with this reply as the last one. Error{model_failed} if there is no next try.
std::vector<FaultyReply> add_fault(Context&, std::vector<FaultyReply> faults, const std::string& error,
                                   const models::ChatReply&, const ReflectOptions&);
/// The reflection of this turn goes with what follows from it, and is not current any more.
std::string take_reflection(Context&);
}
