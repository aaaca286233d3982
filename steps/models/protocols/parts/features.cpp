// One row for each feature, in the order in which a refusal with several features tries them. The words come from the
// replies of real servers; a wrong match costs one more request.
#include "steps/models/protocols/parts/features.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "steps/models/call_ids.hpp"
#include "steps/models/name_pattern.hpp"
#include <algorithm>
#include <map>
#include <set>

namespace weft::models {
namespace {
using Phrases = std::array<const char*, 28>;
constexpr Phrases refusing = {"support",    "recognized", "unknown",   "unexpected",   "permitted",
                              "allow",      "accept",     "available", "invalid",      "extra input",
                              "deprecated", "cannot",     "must ",     "incompatible", "not enabled"};
constexpr Phrases and_also(Phrases all, const char* one) {
    *std::find(all.begin(), all.end(), nullptr) = one;
    return all;
}
struct FeatureRow {
    Feature feature;
    Phrases names;         // the refusal has one of these as a separate word
    Phrases besides = {};  // and, if any are given, one of these as a substring
    const char* forms[2];  // sentences for the further forms; null: no such form
};
constexpr FeatureRow rows[] = {
    {Feature::usage_in_stream, {"stream_options", "include_usage"}, {}, {"stream_options is left out"}},
    {Feature::reasoning_demanded,
     {"reasoning_content"},
     {"passed back", "missing", "required", "provided", "must include", "must contain", "must have"},
     {"each message of the model is sent with reasoning, even if empty",
      "messages without reasoning are sent with a dash"}},
    {Feature::signatures,
     {"thought_signature", "thoughtsignature", "thought signature"},
     {"missing", "required", "must include", "must contain", "must have"},
     {"calls without a signature get a placeholder"}},
    {Feature::encrypted_reasoning,
     {"encrypted content", "encrypted_content", "include"},
     {},
     {"its encrypted reasoning is not asked for"}},
    {Feature::reasoning_returned,
     {"reasoning_content", "reasoning_details", "'reasoning'", "`reasoning`", "\"reasoning\"", "thinking", "signature",
      "thought_signature", "thoughtsignature", "thought signature", "encrypted_content", "encrypted content",
      "redacted_thinking", "reasoning item"},
     {},
     {"its reasoning is not sent back"}},
    {Feature::call_ids,
     {"tool call id", "tool_call_id", "tool_calls", "call_id", "tool_use_id", "tool_use.id", "tool_result",
      "tool call"},
     {"length", "a-z", "alphanumeric", "pattern", "too long", "invalid id", "not a valid id"},
     {"ids of calls are replaced"}},
    {Feature::single_calls,
     {"single tool-call", "single tool-calls", "single tool call", "one tool call", "one tool-call",
      "multiple tool calls", "multiple tool_calls", "parallel tool calls", "parallel_tool_calls",
      "parallel function calling", "parallel tool calling", "single function call"},
     {},
     {"calls are sent back in separate messages"}},
    {Feature::after_results,
     {"after role 'tool'", "after role tool", "must alternate", "alternate", "unexpected role", "message_order",
      "invalid_request_message_order", "consecutive", "role 'user'", "expected last role", "roles must"},
     {},
     {"text behind the result of a tool goes into the result"}},
    {Feature::system_role,
     {"system role",
      "role 'system'",
      "role system",
      "role: system",
      "system message",
      "system messages",
      "system instruction",
      "developer instruction",
      "system prompt",
      "system_instruction",
      "'system'",
      "`system`",
      "\"system\"",
      "systeminstruction",
      "must alternate",
      "user and assistant",
      "template error",
      "system:",
      "instructions",
      "message role",
      "messages.0.role",
      "messages[0].role",
      "system prompts",
      "user|assistant",
      "assistant and tool roles"},
     refusing,
     {"instructions go into the first message of the user"}},
    {Feature::result_names,
     {"function_response.name", "functionresponse.name"},
     {"empty", "required", "missing"},
     {"a result is sent with the name of its tool"}},
    {Feature::empty_content,
     {"content", "none has no element 0", "type: null"},
     {"null", "none", "valid string", "a string", "non-empty", "nil", "missing field", "required", "invalid type",
      "not be empty", "empty content", "did not match any variant"},
     {"a message with calls has an empty content, not null"}},
    {Feature::stream_demanded,
     {"stream", "streaming"},
     {"only support stream", "only supports stream", "enable the stream", "stream must be set to true",
      "stream must be true", "stream=true", "non-streaming", "requires stream", "streaming is required"},
     {"its reply is requested as a stream"}},
    {Feature::streamed_tools,
     {"stream", "streaming", "streamed"},
     {"not support", "unsupported", "cannot use", "cannot be used", "not allowed", "not available", "must be false",
      "to false", "disable", "not yet", "isn't support", "verified to stream", "tool use in streaming", "only support",
      "not possible"},
     {"its whole reply to a request with tools is requested", "its whole reply is requested"}},
    {Feature::tool_choice,
     {"tool_choice", "tool choice", "toolchoice", "toolconfig", "function_calling_config", "functioncallingconfig"},
     {},
     {"tool_choice is left out"}},
    {Feature::schema,
     {"response_format", "json_schema", "json schema", "json_object", "json mode", "structured output",
      "structured outputs", "response schema", "response mime type", "responsejsonschema", "output_config",
      "text.format", "'format'", "grammar", "output_format", "output format", "guided decoding", "guided_json"},
     {},
     {"any JSON object is requested", "only the instructions describe the form of its answer"}},
    {Feature::prompt_cache,
     {"cache_control", "cache control", "prompt caching", "cache point", "ephemeral", "a valid string"},
     {},
     {"no cache of its prompt is requested"}},
    {Feature::max_tokens,
     {"max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens", "max_new_tokens", "num_predict",
      "max tokens", "in the completion", "for the completion", "output tokens", "completion tokens"},
     {},
     {"the bound of its reply is called max_completion_tokens",
      "the bound of its reply is left out, or the least that its protocol allows"}},
    {Feature::stop,
     {"stop", "stop_sequences", "stopsequences", "stop sequences", "stop sequence", "stop words"},
     and_also(refusing, "should be"),
     {"stop sequences are left out"}},
    {Feature::temperature, {"temperature"}, {}, {"its temperature is left out"}},
    {Feature::seed, {"seed"}, refusing, {"its seed is left out"}},
    {Feature::store, {"store"}, refusing, {"the option not to store it is left out"}},
    {Feature::strict, {"strict"}, refusing, {"the strict mode of its tools is left out"}},
    {Feature::json_schemas,
     {"parametersjsonschema", "parameters_json_schema", "non-empty for object type"},
     {},
     {"arguments are declared without the keywords that OpenAPI lacks"}},
};
const FeatureRow& row_of(Feature feature) {
    return *std::find_if(std::begin(rows), std::end(rows),
                         [&](const FeatureRow& row) { return row.feature == feature; });
}

bool is_word(char c) { return is_lower(c) || is_digit(c) || c == '_'; }
bool names(std::string_view refusal, std::string_view word) {
    for (auto at = refusal.find(word); at != refusal.npos; at = refusal.find(word, at + 1)) {
        const auto end = at + word.size();
        const bool begins = at == 0 || !is_word(refusal[at - 1]) || !is_word(word.front());
        if (begins && (end == refusal.size() || !is_word(refusal[end]) || !is_word(word.back()))) return true;
    }
    return false;
}
bool fits(const FeatureRow& row, std::string_view refusal) {
    const auto named = [&](const char* word) { return word && names(refusal, word); };
    const auto said = [&](const char* part) { return part && refusal.find(part) != refusal.npos; };
    return std::any_of(row.names.begin(), row.names.end(), named) &&
           (!row.besides[0] || std::any_of(row.besides.begin(), row.besides.end(), said));
}

struct KnownModel {
    std::array<const char*, 6> names;  // names or prefixes of models
    std::array<std::pair<Feature, int>, 3> forms;
};
/// All matching rows count; later rows override earlier ones.
constexpr std::pair<Feature, int> nothing = {Feature::count, 0};
constexpr KnownModel known_models[] = {
    {{"*"}, {{{Feature::encrypted_reasoning, 1}, nothing, nothing}}},
    {{"o1*", "o3*", "o4*", "gpt-5*"},
     {{{Feature::encrypted_reasoning, 0}, {Feature::max_tokens, 1}, {Feature::stop, 1}}}},
    {{"gpt-5-chat*"}, {{{Feature::encrypted_reasoning, 1}, {Feature::max_tokens, 0}, {Feature::stop, 0}}}},
    {{"o1-mini*", "o1-preview*", "gemma-*"}, {{{Feature::system_role, 1}, nothing, nothing}}},
    {{"gemini-*"}, {{{Feature::result_names, 1}, nothing, nothing}}},  // behind OpenAI's protocol
    {{"mistral-*", "ministral-*", "magistral-*", "codestral-*", "devstral-*", "pixtral-*"},
     {{{Feature::call_ids, 1}, {Feature::after_results, 1}, nothing}}},
};

using MessageList = std::vector<Message>;
/// Splits a message with several calls into one for each call, followed by its result.
MessageList with_single_calls(const MessageList& messages) {
    MessageList out;
    for (auto message = messages.begin(); message != messages.end(); ++message) {
        out.push_back(*message);
        if (message->calls.size() < 2) continue;
        const auto calls = message->calls;
        out.back().native = {};
        for (std::size_t i = 0; i < calls.size(); ++i) {
            if (i) out.push_back({Role::assistant, ""});
            out.back().calls = {calls[i]};
            const auto result = std::find_if(message + 1, messages.end(), [&](const Message& one) {
                return one.role == Role::tool && one.call == calls[i].id;
            });
            if (result != messages.end()) out.push_back(*result);
        }
        while (message + 1 != messages.end() && message[1].role == Role::tool && !message[1].call.empty()) ++message;
    }
    return out;
}
/// Joins consecutive messages of one role, and moves the user's text behind a result into the result.
MessageList with_turns(const MessageList& messages) {
    MessageList out;
    for (const auto& message : messages) {
        const bool of_user = message.role == Role::user,
                   plain = message.calls.empty() && message.native.protocol.empty();
        const bool joins = !out.empty() && plain && message.role != Role::tool &&
                           ((of_user && out.back().role == Role::tool) ||
                            (out.back().role == message.role && out.back().calls.empty() &&
                             out.back().native.protocol.empty()));
        if (joins) (out.back().content += "\n\n") += message.content;
        else out.push_back(message);
    }
    return out;
}
MessageList without_system(const MessageList& messages) {
    std::string text;
    MessageList out;
    for (const auto& message : messages)
        if (message.role == Role::system) (text += text.empty() ? "" : "\n\n") += message.content;
        else out.push_back(message);
    if (text.empty()) return out;
    const auto first = std::find_if(out.begin(), out.end(), [](const Message& one) { return one.role == Role::user; });
    if (first != out.end()) first->content = text + "\n\n" + first->content;
    else out.insert(out.begin(), user(text));
    return out;
}
bool is_plain_id(std::string_view id) {
    return id.size() == 9 && std::all_of(id.begin(), id.end(), is_letter_or_digit);
}
void write_ids_anew(MessageList& messages) {
    std::set<std::string> taken;
    for (const auto& message : messages)
        for (const auto& call : message.calls) taken.insert(call.id);
    std::map<std::string, std::string> ids;  // the latest replacement of each
    std::size_t free = 0;                    // the same in each turn, so that the server's cache stays valid
    for (auto& message : messages) {
        for (auto& call : message.calls) {
            if (is_plain_id(call.id)) continue;
            auto id = call_ids::make(free++);
            while (taken.contains(id)) id = call_ids::make(free++);
            ids[call.id] = id;
            call.id = std::move(id);
            message.native = {};  // the native form has the former ids
        }
        if (message.role != Role::tool) continue;
        if (const auto known = ids.find(message.call); known != ids.end()) message.call = known->second;
    }
}
}

bool Features::advance(Feature feature) {
    const auto& row = row_of(feature);
    const int now = form(feature);
    if (now >= 2 || !row.forms[now]) return false;
    set(feature, now + 1);
    return true;
}
void Features::add(const Features& other) {
    for (std::size_t i = 0; i < forms_.size(); ++i) forms_[i] = std::max(forms_[i], other.forms_[i]);
}
Features usual_features(std::string_view model) {
    Features features;
    const auto name = lower(model.substr(model.rfind('/') + 1));
    for (const auto& row : known_models)
        for (const char* pattern : row.names)
            if (pattern && matches(pattern, name))
                for (const auto& [feature, form] : row.forms)
                    if (feature != Feature::count) features.set(feature, form);
    return features;
}
std::vector<Feature> refused_features(std::string_view refusal) {
    std::vector<Feature> found;
    for (const auto& row : rows)
        if (fits(row, refusal)) found.push_back(row.feature);
    return found;
}
std::string feature_sentence(Feature feature, const Features& features) {
    const int form = features.form(feature);
    return form ? row_of(feature).forms[form - 1] : "nothing is left out";
}
const std::vector<Message>& adapted_messages(const std::vector<Message>& messages, const Features& features,
                                             std::vector<Message>& room) {
    const auto wants = [&](Feature feature) { return !features.usual(feature); };
    const auto* now = &messages;
    const auto become = [&](MessageList next) {
        room = std::move(next);
        now = &room;
    };
    if (wants(Feature::single_calls)) become(with_single_calls(*now));
    if (wants(Feature::system_role)) become(without_system(*now));
    if (wants(Feature::after_results)) become(with_turns(*now));
    if (wants(Feature::call_ids) || wants(Feature::reasoning_returned)) become(MessageList(*now));
    if (wants(Feature::call_ids)) write_ids_anew(room);
    if (wants(Feature::reasoning_returned))
        for (auto& message : room) message.native = {};
    return *now;
}
}
