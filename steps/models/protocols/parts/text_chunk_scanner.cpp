// Optimised for speed: it runs once for each chunk of a stream, and gives up at anything but plain text.
#include "steps/models/protocols/parts/text_chunk_scanner.hpp"
#include "steps/models/protocols/parts/json_scanner.hpp"
#include <cstring>

namespace weft::models {
namespace {
/// Compares with a word of known length, which needs no call.
template <std::size_t size> bool is(std::string_view key, const char (&word)[size]) {
    return key.size() == size - 1 && std::memcmp(key.data(), word, size - 1) == 0;
}
bool is_zero(JsonScanner& in) {
    std::int64_t index = 0;
    return in.integer(index) && index == 0;
}
enum : unsigned {
    text_bit = 1,
    model_bit = 2,
    type_bit = 4,
    delta_bit = 8,
    index_bit = 16,
    part_bit = 32,
    finish_bit = 64,
    usage_bit = 128
};
}

// A chunk that differs from the last one only in its text needs no scan of the other parts.
const TextChunk* TextChunkScanner::like_last(ChunkProtocol protocol, std::string_view chunk) {
    const auto last = std::string_view(last_);
    if (protocol_ != protocol || chunk.size() < before_ + after_ || !chunk.starts_with(last.substr(0, before_)) ||
        !chunk.ends_with(last.substr(last.size() - after_)))
        return nullptr;
    JsonScanner in(chunk.substr(before_ - 1));  // from its quote on
    if (!in.string(like_last_.text, text_) || in.position() != chunk.data() + chunk.size() - after_ + 1) return nullptr;
    return &like_last_;
}
void TextChunkScanner::remember(ChunkProtocol protocol, std::string_view chunk, std::string_view raw_text) {
    last_ = chunk;
    protocol_ = protocol;
    before_ = static_cast<std::size_t>(raw_text.data() - chunk.data());
    after_ = chunk.size() - before_ - raw_text.size();
    like_last_ = found_;
    if (!found_.model.empty())
        like_last_.model = std::string_view(last_).substr(static_cast<std::size_t>(found_.model.data() - chunk.data()),
                                                          found_.model.size());
}
const TextChunk* TextChunkScanner::openai(std::string_view chunk) {
    if (const auto* found = like_last(ChunkProtocol::openai, chunk)) return found;
    std::string_view raw;
    const auto* found = scan_openai(chunk, "delta", raw);
    if (found && found->has_text && found->finish.empty() && found->usage.empty())
        remember(ChunkProtocol::openai, chunk, raw);
    return found;
}
const TextChunk* TextChunkScanner::openai_document(std::string_view document) {
    std::string_view raw;
    return scan_openai(document, "message", raw);
}
const TextChunk* TextChunkScanner::scan_openai(std::string_view chunk, std::string_view message,
                                               std::string_view& raw_text) {
    auto& found = found_;
    found = {.has_choice = false, .has_text = false};
    JsonScanner in(chunk);
    MemberSet once;
    const auto delta = [&](std::string_view key) {
        if (is(key, "content")) {
            if (!once(text_bit)) return false;
            if (in.null()) return true;
            found.has_text = true;
            return in.string(found.text, text_);
        }
        return is(key, "role") ? in.skip() : in.nothing();
    };
    const auto choice = [&](std::string_view key) {
        if (key == message) return once(delta_bit) && in.object(delta);
        if (is(key, "index")) return once(index_bit) && is_zero(in);
        if (is(key, "finish_reason")) return once(finish_bit) && (in.null() || in.word(found.finish));
        return is(key, "error") || is(key, "native_finish_reason") ? in.null() : in.skip();
    };
    bool may_be_error = false;  // unless it has a choice
    std::string_view word;
    const auto is_usual = [](std::string_view key) {
        return is(key, "id") || is(key, "created") || is(key, "system_fingerprint") || is(key, "service_tier");
    };
    const auto choices = [&] {
        if (!in.take('[')) return false;
        if (in.take(']')) return true;
        found.has_choice = true;
        return in.object(choice) && in.take(']');
    };
    const auto member = [&](std::string_view key) {
        if (is(key, "choices")) {
            if (!once(part_bit)) return false;
            const auto head = chunk.substr(0, static_cast<std::size_t>(in.position() - chunk.data()));
            const auto model = found.model.empty() ? 0 : static_cast<std::size_t>(found.model.data() - chunk.data());
            if (message == "delta") openai_head_ = {std::string(head), model, found.model.size(), once, may_be_error};
            return choices();
        }
        if (is(key, "model")) return once(model_bit) && in.word(found.model);
        if (is(key, "usage")) return once(usage_bit) && (in.null() || in.raw_object(found.usage));
        if (is(key, "object") || is(key, "type")) return in.word(word) && word != "error";
        may_be_error = may_be_error || !is_usual(key);
        return is(key, "error") ? in.null() : in.skip();
    };
    const auto& head = openai_head_;
    const bool begins_alike = !head.text.empty() && chunk.starts_with(head.text);
    if (begins_alike) {  // the members up to the choices are known
        in = JsonScanner(chunk.substr(head.text.size()));
        found.model = chunk.substr(head.model, head.model_size);
        once = head.seen;
        may_be_error = head.may_be_error;
    }
    const bool known = begins_alike ? choices() && in.rest_of_object(member) : in.object(member);
    if (!known || !in.at_end() || (found.has_choice ? !once.has(delta_bit) : may_be_error)) return nullptr;
    if (!found.has_text && found.finish.empty() && found.usage.empty()) return nullptr;
    raw_text = in.raw();
    return &found;
}
const TextChunk* TextChunkScanner::responses(std::string_view chunk) {
    auto& found = found_ = {};
    JsonScanner in(chunk);
    MemberSet once;
    const bool known = in.object([&](std::string_view key) {
        std::string_view type;
        if (is(key, "type")) return once(type_bit) && in.word(type) && type == "response.output_text.delta";
        if (is(key, "delta")) return once(text_bit) && in.string(found.text, text_);
        if (is(key, "output_index")) return once(index_bit) && in.integer(found.index);
        if (is(key, "item_id")) return once(part_bit) && in.word(found.item);
        return is(key, "error") ? in.null() : in.skip();
    });
    return known && in.at_end() && once.has(text_bit | type_bit) ? &found : nullptr;
}
const TextChunk* TextChunkScanner::anthropic(std::string_view chunk) {
    if (const auto* found = like_last(ChunkProtocol::anthropic, chunk)) return found;
    auto& found = found_ = {};
    JsonScanner in(chunk);
    MemberSet once;
    const auto delta = [&](std::string_view key) {
        std::string_view type;
        if (is(key, "type")) return once(model_bit) && in.word(type) && type == "text_delta";
        return is(key, "text") && once(text_bit) && in.string(found.text, text_);
    };
    const bool known = in.object([&](std::string_view key) {
        std::string_view type;
        if (is(key, "type")) return once(type_bit) && in.word(type) && type == "content_block_delta";
        if (is(key, "index")) return once(index_bit) && in.integer(found.index);
        return is(key, "delta") && once(delta_bit) && in.object(delta);
    });
    constexpr unsigned all = text_bit | model_bit | type_bit | index_bit;
    if (!known || !in.at_end() || !once.has(all)) return nullptr;
    remember(ChunkProtocol::anthropic, chunk, in.raw());
    return &found;
}
const TextChunk* TextChunkScanner::gemini(std::string_view chunk) {
    auto& found = found_ = {};
    JsonScanner in(chunk);
    MemberSet once;
    const auto part = [&](std::string_view key) {
        return is(key, "text") && once(text_bit) && in.string(found.text, text_);
    };
    const auto content = [&](std::string_view key) {
        std::string_view role;
        if (is(key, "role")) return in.word(role);
        return is(key, "parts") && once(part_bit) && in.array_of_one([&] { return in.object(part); });
    };
    const auto candidate = [&](std::string_view key) {
        if (is(key, "index")) return once(index_bit) && is_zero(in);
        return is(key, "content") && once(delta_bit) && in.object(content);
    };
    const bool known = in.object([&](std::string_view key) {
        if (is(key, "candidates")) return once(type_bit) && in.array_of_one([&] { return in.object(candidate); });
        if (is(key, "modelVersion")) return once(model_bit) && in.word(found.model);
        if (is(key, "usageMetadata")) return found.usage.empty() && in.raw_object(found.usage);
        return (is(key, "responseId") || is(key, "createTime")) && in.skip();
    });
    return known && in.at_end() && once.has(text_bit) ? &found : nullptr;
}
const TextChunk* TextChunkScanner::ollama(std::string_view chunk) {
    auto& found = found_ = {};
    JsonScanner in(chunk);
    MemberSet once;
    const auto message = [&](std::string_view key) {
        if (is(key, "content")) return once(text_bit) && in.string(found.text, text_);
        return is(key, "role") ? in.skip() : in.nothing();
    };
    const bool known = in.object([&](std::string_view key) {
        if (is(key, "message")) return once(delta_bit) && in.object(message);
        if (is(key, "model")) return once(model_bit) && in.word(found.model);
        if (is(key, "done")) return once(type_bit) && in.literal("false");
        return is(key, "created_at") ? in.skip() : in.nothing();
    });
    return known && in.at_end() && once.has(text_bit | type_bit) ? &found : nullptr;
}
}
