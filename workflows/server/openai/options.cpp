// Ignored fields still need the right types, since a wrong type is a fault of the caller.
#include "workflows/server/openai/options.hpp"
#include "engine/text/characters.hpp"
#include <algorithm>

namespace weft::server {
using nlohmann::json;

namespace {
constexpr auto no_choice = "an agent calls only its own tools: leave the field out, or set it to \"auto\"";

/// Whether the choice is allowed_tools without a required call; the mode is inside (chat) or beside (responses).
bool only_allows(const json& choice) {
    if (choice.value("type", json()) != "allowed_tools") return false;
    const auto inner = choice.find("allowed_tools");
    const json& holder = inner != choice.end() && inner->is_object() ? *inner : choice;
    return holder.value("mode", json()) == "auto";
}
void check_tool_choice(const OpenaiFields& fields, std::string_view key) {
    const auto* choice = fields.find(key);
    if (!choice) return;
    if (choice->is_object() && only_allows(*choice)) return;
    if (!choice->is_object() && !choice->is_string())
        refuse_field(fields.path(key), "expected a text or an object, got " + kind_of(*choice));
    if (*choice != "auto" && *choice != "none") refuse_field(fields.path(key), no_choice);
}
/// Requires {"type": "text"}, or no format.
void check_format(const json& format, const std::string& field) {
    const OpenaiFields fields(format, field);
    if (fields.text("type", 64) != "text")
        refuse_field(field,
                     "the workflow decides the form of its answer: leave the field out, or set its type to \"text\"");
}
void check_stop(const OpenaiFields& fields) {
    const auto* stop = fields.find("stop");
    if (!stop || stop->is_string()) return;
    if (!stop->is_array() || stop->size() > 64 ||
        !std::all_of(stop->begin(), stop->end(), [](const json& word) { return word.is_string(); }))
        refuse_field("stop", "expected a text or a short list of texts");
}
void check_sampling(const OpenaiFields& fields) {
    for (const auto* key : {"temperature", "top_p"}) fields.expect_number(key);
    fields.expect_list("tools");
    check_tool_choice(fields, "tool_choice");
}
}

std::string checked_conversation(const std::string& id, const std::string& field) {
    const auto fits = [](char c) {
        return is_letter_or_digit(c) || std::string_view("._:-").find(c) != std::string_view::npos;
    };
    if (id.empty() || id.size() > max_conversation_id || !std::all_of(id.begin(), id.end(), fits))
        refuse_field(field, "expected 1 to " + std::to_string(max_conversation_id) +
                                " letters, digits and characters of \"._:-\"");
    return id;
}
std::string conversation_of(const OpenaiFields& fields) {
    const auto* metadata = fields.find("metadata");
    if (!metadata) return {};
    const OpenaiFields inner(*metadata, "metadata");
    if (metadata->size() > 16) refuse_field("metadata", "it has more than 16 keys");
    if (!inner.find("conversation_id")) return {};
    return checked_conversation(inner.text("conversation_id", 4096), inner.path("conversation_id"));
}
void check_chat_options(const OpenaiFields& fields) {
    check_sampling(fields);
    for (const auto* key : {"frequency_penalty", "presence_penalty"}) fields.expect_number(key);
    for (const auto* key : {"max_tokens", "max_completion_tokens"}) fields.expect_limit(key);
    fields.expect_count("n");
    if (const auto* n = fields.find("n"); n && *n != 1)
        refuse_field("n", "a workflow gives one answer: set it to 1, and send more requests for more answers");
    check_stop(fields);
    fields.expect_list("functions");
    check_tool_choice(fields, "function_call");
    if (const auto* format = fields.find("response_format")) check_format(*format, "response_format");
    fields.expect_list("modalities");
    if (const auto* modalities = fields.find("modalities"))
        for (const auto& one : *modalities)
            if (one != "text") refuse_field("modalities", "the answer is text: list only \"text\"");
}
void check_responses_options(const OpenaiFields& fields) {
    check_sampling(fields);
    fields.expect_limit("max_output_tokens");
    if (const auto* text = fields.find("text"))
        if (const auto* format = OpenaiFields(*text, "text").find("format")) check_format(*format, "text.format");
    if (fields.boolean("background"))
        refuse_field("background", "this server has no background answers: leave the field out");
    if (fields.find("previous_response_id"))
        refuse_field("previous_response_id", "this server keeps no responses: send the earlier messages in \"input\"");
    if (fields.find("prompt")) refuse_field("prompt", "this server has no stored prompts: send \"input\"");
}
}
