// Peculiarities: the server checks the letters of ids, refuses blank texts and empty errors, reports token counts as
// running totals, allows no bounds in schemas, and requires max_tokens.
#include "steps/models/protocols/anthropic.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/protocols/anthropic_cache.hpp"
#include "steps/models/protocols/parts/call_assembler.hpp"
#include "steps/models/protocols/parts/event_reader.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/parts/finish.hpp"
#include "steps/models/protocols/parts/text_chunk_scanner.hpp"
#include "steps/models/protocols/parts/turns.hpp"
#include <algorithm>
#include <set>

namespace weft::models {
namespace {
using wire::json;
using wire::member;
using wire::text_or_empty;
constexpr int default_max_tokens = 8192;  // the server requires a number; all current models allow this one
constexpr int least_max_tokens = 4096;    // older models and those of other servers allow this one

json text_block(const std::string& text) { return {{"type", "text"}, {"text", text}}; }
// Replaces characters that this server refuses in ids of other servers.
std::string plain_id(std::string id) {
    for (char& c : id)
        if (!is_letter_or_digit(c) && c != '-') c = '_';
    return id;
}
json assistant_blocks(const Message& message) {
    if (auto native = turns::native_of(message, anthropic_messages.name); native.is_array()) return native;
    json blocks = json::array();
    if (!turns::is_blank(message.content)) blocks.push_back(text_block(message.content));
    for (const auto& call : message.calls)
        blocks.push_back({{"type", "tool_use"},
                          {"id", plain_id(call.id)},
                          {"name", call.name},
                          {"input", turns::arguments_object(call.arguments)}});
    return blocks;
}
/// Notes the ids of the server's own calls, which go back unchanged.
void note_use_ids(const json& blocks, std::set<std::string>& ids) {
    for (const auto& block : blocks)
        if (member(block, "type") == "tool_use") ids.insert(text_or_empty(member(block, "id")));
}
json result_block(const Message& message, const std::set<std::string>& ids) {
    const auto id = ids.count(message.call) ? message.call : plain_id(message.call);
    json block = {{"type", "tool_result"}, {"tool_use_id", id}};
    if (!turns::is_blank(message.content)) block["content"] = message.content;
    else if (!message.ok) block["content"] = "It failed.";  // the server refuses an error without text
    if (!message.ok) block["is_error"] = true;
    return block;
}
/// Moves the results of calls to the front of each turn.
void results_first(json& list) {
    for (auto& turn : list) {
        auto& blocks = turn["content"].get_ref<json::array_t&>();
        std::stable_partition(blocks.begin(), blocks.end(),
                              [](const json& block) { return member(block, "type") == "tool_result"; });
    }
}
json write_messages(const std::vector<Message>& messages, const CacheMarks& marks) {
    std::set<std::string> ids;
    const auto from_model = [&](const Message& message) {
        auto blocks = assistant_blocks(message);
        note_use_ids(blocks, ids);
        marks.note(message, blocks);
        return blocks;
    };
    const auto to_model = [&](const Message& message) {
        json blocks = json::array();
        if (message.role == Role::tool && !message.call.empty()) blocks.push_back(result_block(message, ids));
        else blocks = marks.text_blocks(message);
        marks.note(message, blocks);
        return blocks;
    };
    auto list = turns::write(messages, "assistant", "content", from_model, to_model);
    results_first(list);
    marks.choose(list);
    return list;
}
/// Removes bounds of numbers and lengths, and patterns, which the server refuses; the caller checks the reply. Returns
/// false if no schema can be sent: the server refuses objects that allow further members, and closing them would change
/// the meaning.
bool make_sendable(json& schema, int depth = 0) {
    constexpr int deepest = 32;
    if (depth > deepest) return false;
    if (schema.is_array())
        return std::all_of(schema.begin(), schema.end(), [&](json& one) { return make_sendable(one, depth + 1); });
    if (!schema.is_object()) return true;
    for (const char* bound : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
                              "maxLength", "maxItems", "minItems", "uniqueItems", "pattern", "default"})
        schema.erase(bound);
    const auto& type = member(schema, "type");
    const bool object = type == "object" || schema.contains("properties") ||
                        (type.is_array() && std::find(type.begin(), type.end(), json("object")) != type.end());
    if (object && member(schema, "additionalProperties") != json(false)) return false;
    for (const char* some : {"properties", "$defs", "definitions"})
        if (schema.contains(some) && schema[some].is_object())
            for (auto& one : schema[some])
                if (!make_sendable(one, depth + 1)) return false;
    for (const char* one : {"items", "anyOf", "allOf"})
        if (schema.contains(one) && !make_sendable(schema[one], depth + 1)) return false;
    return true;
}
}

std::string anthropic_request(const ChatRequest& request, const std::string& model, bool stream,
                              const Features& features) {
    const auto& sampling = request.sampling;
    std::vector<Message> room;
    const auto& messages = adapted_messages(request.messages, features, room);
    auto most = sampling.max_tokens.value_or(default_max_tokens);
    if (features.form(Feature::max_tokens) > 1) most = std::min(most, least_max_tokens);
    const CacheMarks marks(request, messages, features.usual(Feature::prompt_cache));
    json body = {{"model", model}, {"max_tokens", most}, {"messages", write_messages(messages, marks)}};
    if (stream) body["stream"] = true;
    if (auto text = turns::system_text(messages); !text.empty() && !turns::has_only_instructions(messages))
        body["system"] = marks.system(std::move(text));
    for (const auto& tool : request.tools)
        body["tools"].push_back(
            {{"name", tool.name}, {"description", tool.description}, {"input_schema", turns::parameters_of(tool)}});
    if (!request.tools.empty()) marks.mark_tools(body["tools"]);
    if (!request.tools.empty() && request.choice == ToolChoice::none && features.usual(Feature::tool_choice))
        body["tool_choice"] = {{"type", "none"}};
    for (const auto& stop : request.stop)
        if (features.usual(Feature::stop) && !turns::is_blank(stop))
            body["stop_sequences"].push_back(stop);  // the server refuses blanks: the reader stops there
    if (sampling.temperature && features.usual(Feature::temperature))
        body["temperature"] = std::clamp(*sampling.temperature, 0.0, 1.0);
    if (!request.schema.schema.empty() && features.usual(Feature::schema))
        if (auto schema = turns::schema_of(request.schema); make_sendable(schema))
            body["output_config"] = {{"format", {{"type", "json_schema"}, {"schema", std::move(schema)}}}};
    return turns::dump(body);
}

namespace {
class AnthropicReader final : public SseReplyReader {
public:
    AnthropicReader(const ChatRequest& request, const Secret& key) : SseReplyReader(request, key), calls_(request) {}

    bool may_end() const override { return !reason_.empty(); }

private:
    static constexpr std::size_t most_blocks = 512;
    struct ContentBlock {
        std::int64_t index = 0;
        json content;
        bool closed = false, grown = false;  // grown: arguments of a call have arrived
        std::size_t call = 0;                // number of the call
    };

    ProviderHints hints() const override { return anthropic_messages.hints(); }
    void take_document(const json& body) override {
        const auto& content = member(body, "content");
        if (!content.is_array()) throw broken("sent a reply without content");
        note(body);
        std::int64_t index = 0;
        for (const auto& block : content) begin_block(index++, block);
        end();
    }
    /// A stop reason also ends a reply: some gateways send no message_stop, or [DONE] in its place.
    void finish_events() override {
        if (!reason_.empty()) end();
    }
    void take_event(const net::SseEvent& event) override {
        if (event.data == "[DONE]") return finish_events();
        if (const auto* chunk = scanner_.anthropic(event.data)) take_text(chunk->index, chunk->text);
        else take(wire::parse(repair_utf8(event.data), key_));
    }
    // The data has the type; the event's name only repeats it. Unknown types are ignored.
    void take(const json& event) {
        check(event);
        const auto type = text_or_empty(member(event, "type"));
        const auto index = wire::count_or_zero(member(event, "index"));
        if (type == "message_start") {
            note(member(event, "message"));
        } else if (type == "content_block_start") {
            begin_block(index, member(event, "content_block"));
        } else if (type == "content_block_delta") {
            take_delta(index, member(event, "delta"));
        } else if (type == "content_block_stop") {
            if (auto* block = find(index)) block->closed = true;
        } else if (type == "message_delta") {
            note(member(event, "delta"));
            note_usage(member(event, "usage"));
        } else if (type == "message_stop") {
            end();
        }
    }
    void note(const json& message) {
        note_usage(member(message, "usage"));
        if (auto model = text_or_empty(member(message, "model")); !model.empty()) reply_.model = std::move(model);
        if (auto reason = text_or_empty(member(message, "stop_reason")); !reason.empty()) reason_ = std::move(reason);
    }
    // Keeps the largest number of each: they are running totals, but some servers later omit them or send zero.
    void note_usage(const json& usage) {
        const auto total = [&](std::int64_t& so_far, const char* name) {
            so_far = std::max(so_far, wire::count_or_zero(member(usage, name)));
        };
        total(read_anew_, "input_tokens");
        total(reply_.usage.cache_written_tokens, "cache_creation_input_tokens");
        total(reply_.usage.cached_tokens, "cache_read_input_tokens");
        total(reply_.usage.completion_tokens, "output_tokens");
        reply_.usage.prompt_tokens = read_anew_ + reply_.usage.cache_written_tokens + reply_.usage.cached_tokens;
    }
    void begin_block(std::int64_t index, const json& content) {
        if (!content.is_object()) return;
        if (const auto* block = find(index)) {
            if (block->content == content && !block->grown) return;  // sent twice
            if (!block->closed && member(content, "type") != "tool_use")
                throw broken("began one part of its reply twice");
        }
        auto& block = add_block(index);
        block.content = content;
        if (member(content, "type") == "tool_use") begin_call(block);
        if (member(content, "type") == "text") add(text_or_empty(member(content, "text")));
        if (member(content, "type") == "thinking") think(text_or_empty(member(content, "thinking")));
    }
    void take_delta(std::int64_t index, const json& delta) {
        const auto type = text_or_empty(member(delta, "type"));
        if (type == "text_delta") return take_text(index, text_or_empty(member(delta, "text")));
        if (!find(index)) throw broken("sent a piece of a part of its reply that has not begun");
        auto& block = open_block(index);
        if (type == "input_json_delta") {
            const auto piece = text_or_empty(member(delta, "partial_json"));
            block.grown = block.grown || !piece.empty();
            calls_.take({.index = place_of(block), .arguments = piece});
        } else if (type == "thinking_delta") {
            const auto thinking = text_or_empty(member(delta, "thinking"));
            think(thinking);
            extend(block.content["thinking"], thinking);
        } else if (type == "signature_delta") {
            extend(block.content["signature"], text_or_empty(member(delta, "signature")));
        } else if (type == "citations_delta") {
            auto& citations = block.content["citations"];
            if (!citations.is_array()) citations = json::array();
            citations.push_back(member(delta, "citation"));
        }
    }
    void take_text(std::int64_t index, std::string_view text) {
        extend(open_block(index).content["text"], text);
        add(text);
    }
    /// Returns the block of a text; some servers omit its start.
    ContentBlock& open_block(std::int64_t index) {
        auto* block = find(index);
        if (!block) {
            block = &add_block(index);
            block->content = text_block("");
        }
        if (block->closed) throw broken("sent a piece of a part of its reply that had ended");
        return *block;
    }
    ContentBlock& add_block(std::int64_t index) {
        if (blocks_.size() >= most_blocks) throw broken("sent more than 512 parts in one reply");
        auto& block = blocks_.emplace_back();
        block.index = index;
        return block;
    }
    /// Returns the last part with this index, because some servers give all parts the same one.
    ContentBlock* find(std::int64_t index) {
        const auto at = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                     [index](const ContentBlock& block) { return block.index == index; });
        return at == blocks_.rend() ? nullptr : &*at;
    }
    /// Returns a unique number, in the order of indexes, and for equal indexes in the order of the beginnings.
    std::int64_t place_of(const ContentBlock& block) const {
        return block.index * static_cast<std::int64_t>(most_blocks) + (&block - blocks_.data());
    }
    static void extend(json& text, std::string_view piece) {
        if (!text.is_string()) text = "";
        text.get_ref<std::string&>() += piece;
    }
    void end() {
        ended_ = true;
        reply_.finish = finish_of(reason_);
        json native = json::array();
        bool is_more_than_text = false;
        const auto numbers = calls_.finish(reply_.finish == FinishReason::length, reply_.calls);
        for (auto& call : reply_.calls)
            if (turns::is_blank(call.arguments)) call.arguments = "{}";
        std::stable_sort(blocks_.begin(), blocks_.end(),
                         [](const ContentBlock& a, const ContentBlock& b) { return a.index < b.index; });
        for (auto& block : blocks_) {
            auto& content = block.content;
            const bool is_text = member(content, "type") == "text";
            if (is_text && turns::is_blank(text_or_empty(member(content, "text")))) continue;  // refused
            is_more_than_text = is_more_than_text || !is_text || content.contains("citations");
            if (member(content, "type") != "tool_use") native.push_back(std::move(content));
            else
                for (std::size_t i = 0; i < numbers.size(); ++i)
                    if (numbers[i] == block.call) {
                        content["id"] = reply_.calls[i].id;
                        content["input"] = turns::arguments_object(reply_.calls[i].arguments);
                        native.push_back(content);
                    }
        }
        if (is_more_than_text) reply_.native = turns::make_native(anthropic_messages.name, native);
        if (reply_.finish == FinishReason::stop && !reply_.calls.empty()) reply_.finish = FinishReason::tool_calls;
        if (reply_.finish == FinishReason::tool_calls && reply_.calls.empty()) reply_.finish = FinishReason::unknown;
    }
    void begin_call(ContentBlock& block) {
        const auto& input = member(block.content, "input");
        const auto id = wire::id_or_empty(member(block.content, "id")),
                   name = text_or_empty(member(block.content, "name")),
                   arguments = input.is_object() && input.empty() ? "" : turns::arguments_text(input);
        block.call = calls_.take({.index = place_of(block), .id = id, .name = name, .arguments = arguments});
    }

    CallAssembler calls_;
    TextChunkScanner scanner_;
    std::string reason_;
    std::vector<ContentBlock> blocks_;
    std::int64_t read_anew_ = 0;
};
}

std::unique_ptr<ReplyReader> anthropic_reader(const ChatRequest& request, const Secret& key) {
    return std::make_unique<AnthropicReader>(request, key);
}
}
