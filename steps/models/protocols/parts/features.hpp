// Features of requests that some servers refuse, and their substitutes. The table is in
// steps/models/protocols/parts/features.cpp.
//
//     Features features = usual_features("openai/o3-mini");            // the forms of a known model
//     for (const auto feature : refused_features(refusal)) features.advance(feature);   // then ask again
//
// Each feature has a form: 0 is the usual one, and the last one usually omits the feature. Values; pure.
#pragma once
#include "steps/models/chat_model.hpp"
#include <array>

namespace weft::models {
enum class Feature {
    usage_in_stream,      // stream_options
    reasoning_demanded,   // 1: each message of the model has reasoning, even if empty; 2: never empty
    signatures,           // 1: each call has a thought signature, no_signature if it had none
    reasoning_returned,   // 1: no message has reasoning
    call_ids,             // 1: nine letters and digits
    single_calls,         // 1: a message of the model has one call
    after_results,        // 1: the user's text behind a result goes into the result
    system_role,          // 1: the user's first message has the instructions
    result_names,         // 1: a result has the name of its tool
    empty_content,        // 1: a message with calls has the content "", not null
    stream_demanded,      // 1: replies are always streamed
    streamed_tools,       // 1: no stream for requests with tools; 2: no streams
    tool_choice,          // 1: left out
    schema,               // 1: any JSON object; 2: left out, because the instructions describe the form, too
    prompt_cache,         // 1: no marks
    encrypted_reasoning,  // 1: not requested
    max_tokens,           // 1: max_completion_tokens; 2: left out, or the protocol's minimum
    stop,                 // 1: left out: the reader stops
    temperature,          // 1: left out
    seed,                 // 1: left out
    store,                // 1: left out
    strict,               // 1: left out
    json_schemas,         // 1: only the keywords of OpenAPI
    count
};
/// Google's placeholder for calls without a signature.
inline constexpr auto no_signature = "skip_thought_signature_validator";
class Features {
public:
    int form(Feature feature) const { return forms_[static_cast<std::size_t>(feature)]; }
    bool usual(Feature feature) const { return form(feature) == 0; }
    void set(Feature feature, int form) { forms_[static_cast<std::size_t>(feature)] = static_cast<std::uint8_t>(form); }
    bool advance(Feature);      // false: no further form
    void add(const Features&);  // takes the later form of each
    friend bool operator==(const Features&, const Features&) = default;

private:
    std::array<std::uint8_t, static_cast<std::size_t>(Feature::count)> forms_{};
};
/// Returns the forms that suit a model's servers; prefixes as in openai/o3-mini are ignored.
Features usual_features(std::string_view model);
/// Returns the features that a refusal may mean, most likely first. `refusal`: the server's words, names and codes in
/// lower case.
std::vector<Feature> refused_features(std::string_view refusal);
/// Describes the present form, for people: "the bound of its reply is called max_completion_tokens".
std::string feature_sentence(Feature, const Features&);

/// Returns the messages in the form of these features: usually the same object, else `room`.
const std::vector<Message>& adapted_messages(const std::vector<Message>&, const Features&, std::vector<Message>& room);
}
