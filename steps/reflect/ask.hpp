// What the steps that ask the model have in common.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/reflect/options.hpp"
#include "steps/reflect/turns.hpp"

namespace weft::steps {
class ReflectionStream;
/// Counts the tokens; the text is UTF-8. Error{model_refused} if the model refuses. The stream hears the reply while it
/// arrives; it outlives the call.
awaitable<llm::ChatReply> ask(Context&, llm::ChatModel&, std::vector<llm::Message>, const ReflectOptions&,
                              ReflectionStream* = nullptr);

/// Why this reply cannot be followed although its text could: it was cut off. Else the error is given back.
std::string error_of(const llm::ChatReply&, std::string error);

/// The faults of the next try, with this reply as the last one. Error{model_failed} if there is no next try.
std::vector<FaultyReply> add_fault(Context&, std::vector<FaultyReply> faults, const std::string& error,
                                   const llm::ChatReply&, const ReflectOptions&);
/// The reflection of this turn goes with what follows from it, and is not current any more.
std::string take_reflection(Context&);
}
