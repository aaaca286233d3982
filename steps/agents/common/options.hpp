// How an agent behaves. A resource, shared by all runs.
#pragma once
#include "steps/agents/common/budget.hpp"
#include <memory>
#include <string_view>

namespace weft::agents {
struct ReactOptions {
    int max_steps = 20;      // turns of the model; then it is asked once more, for the best answer it can give
    int max_faults = 3;      // consecutive unusable replies that end the run
    int max_retries = 10;    // requests that are made again in a run, because they failed in a way that may pass
    int context_tokens = 0;  // of a prompt, as steps/agents/common/fitted_prompt.hpp estimates them; 0: no bound
    bool summarise = false;  // what a prompt has no room for is summarised by the model first; else it is left out
    models::Sampling sampling;
    std::string system;  // what the model is told besides
    Budget budget;
    std::shared_ptr<const models::PriceTable> prices;  // null: what a run costs is not known
    /// Whether a reply that breaks off after a part of it was streamed is requested again from the start. A
    /// CallNoteEvent says so: that part is void then. Else it fails the run.
    bool restart = false;
    static constexpr std::string_view undescribed_fields[] = {"prices"};
};
BOOST_DESCRIBE_STRUCT(ReactOptions, (),
                      (max_steps, max_faults, max_retries, context_tokens, summarise, sampling, system, budget,
                       restart))
/// The options of a step that is called without any.
inline const ReactOptions& usual_options() {
    static const ReactOptions options;
    return options;
}
}
