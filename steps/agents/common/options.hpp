// The options of an agent. A resource, shared by all runs.
#pragma once
#include "steps/agents/common/budget.hpp"
#include <memory>
#include <string_view>

namespace weft::agents {
struct ReactOptions {
    int max_steps = 20;      // turns of the model; one more, the closing turn, asks for its best answer
    int max_faults = 3;      // consecutive unusable replies that end the run
    int max_retries = 10;    // repeated requests in a run, after failures that may pass
    int context_tokens = 0;  // maximum of a prompt, estimated by steps/agents/common/fitted_prompt.hpp; 0: no bound
    bool summarise = false;  // the model summarises the past that a prompt has no room for; else it is left out
    models::Sampling sampling;
    std::string system;  // further instructions for the model
    Budget budget;
    std::shared_ptr<const models::PriceTable> prices;  // null: the cost is unknown
    /// True: a reply that breaks off after its first part was streamed is requested again from the start, and a
    /// CallNoteEvent says that the part is void. False: such a reply fails the run.
    bool restart = false;
    static constexpr std::string_view undescribed_fields[] = {"prices"};
};
BOOST_DESCRIBE_STRUCT(ReactOptions, (),
                      (max_steps, max_faults, max_retries, context_tokens, summarise, sampling, system, budget,
                       restart))
/// The defaults, for a step called without options.
inline const ReactOptions& usual_options() {
    static const ReactOptions options;
    return options;
}
}
