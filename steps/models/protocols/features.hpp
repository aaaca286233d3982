// Parts of a request that not every server takes, and their substitutes. One row a feature:
// steps/models/protocols/features.cpp.
//
//     Features features = usual_features("openai/o3-mini");            // a known model starts right
//     for (const auto feature : refused_features(refusal)) features.advance(feature);   // and asks again
//
// A feature has a form, counted from 0, the usual one. The last one is mostly that it is left out. Values; pure.
#pragma once
#include "steps/models/chat_model.hpp"
#include <array>

namespace weft::models {
enum class Feature {
    usage_in_stream,      // stream_options
    reasoning_demanded,   // 1: each message of the model has its reasoning, be it empty; 2: it never is
    signatures,           // 1: each call has a thought signature: no_signature, if it came without one
    reasoning_returned,   // 1: no message has any
    call_ids,             // 1: nine letters and digits
    single_calls,         // 1: a message of the model has one call
    after_results,        // 1: nothing of the user stands behind a result: it goes into the result
    system_role,          // 1: instructions stand in the first message of the user
    result_names,         // 1: a result has the name of its tool
    empty_content,        // 1: a message with calls has the content "", not null
    stream_demanded,      // 1: a reply is streamed, also where a whole one was wanted
    streamed_tools,       // 1: a request with tools is answered whole; 2: every request is
    tool_choice,          // 1: it is left out
    schema,               // 1: any JSON object; 2: left out, as the instructions say it, too
    prompt_cache,         // 1: no marks
    encrypted_reasoning,  // 1: it is not asked for
    max_tokens,           // 1: max_completion_tokens; 2: left out, or the least that the protocol demands
    stop,                 // 1: left out: the reader stops
    temperature,          // 1: left out
    seed,                 // 1: left out
    store,                // 1: left out
    strict,               // 1: left out
    json_schemas,         // 1: the words of schemas that OpenAPI has, too
    count
};
/// Google's own, for calls that came without one.
inline constexpr auto no_signature = "skip_thought_signature_validator";
class Features {
public:
    int form(Feature feature) const { return forms_[static_cast<std::size_t>(feature)]; }
    bool usual(Feature feature) const { return form(feature) == 0; }
    void set(Feature feature, int form) { forms_[static_cast<std::size_t>(feature)] = static_cast<std::uint8_t>(form); }
    bool advance(Feature);      // false: it has no further form
    void add(const Features&);  // of each the later form
    friend bool operator==(const Features&, const Features&) = default;

private:
    std::array<std::uint8_t, static_cast<std::size_t>(Feature::count)> forms_{};
};
/// The forms that the servers of this model are known to take, whatever stands before its name: openai/o3-mini.
Features usual_features(std::string_view model);
/// The features that a refusal may be about, the likeliest one first. `refusal`: the server's words, names and codes in
/// lower case.
std::vector<Feature> refused_features(std::string_view refusal);
/// For people, of its present form: "the bound of its reply is called max_completion_tokens".
std::string feature_sentence(Feature, const Features&);

/// The messages in the form that these features want: mostly as they are, and then nothing is copied into `room`.
const std::vector<Message>& adapted_messages(const std::vector<Message>&, const Features&, std::vector<Message>& room);
}
