// How a react agent behaves. A resource, shared by all runs.
#pragma once
#include "steps/llm/chat_model.hpp"

namespace weft::steps {
struct ReactOptions {
    int max_steps = 20;      // turns of the model; then it is asked once more, for the best answer it can give
    int max_faults = 3;      // so many replies in a row that cannot be followed end the run
    int context_tokens = 0;  // of a prompt, as steps/react/budget.hpp estimates them; 0: no bound
    llm::Sampling sampling;
    std::string system;  // what the model is told besides
};
BOOST_DESCRIBE_STRUCT(ReactOptions, (), (max_steps, max_faults, context_tokens, sampling, system))
}
