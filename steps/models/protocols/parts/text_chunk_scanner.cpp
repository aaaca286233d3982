// Optimised for speed: it runs once for each chunk of a stream, and gives up at anything but plain text.
#include "steps/models/protocols/parts/text_chunk_scanner.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include <array>

namespace weft::models {
namespace {
enum ByteKind : unsigned char { plain, quote, backslash, control, high };
constexpr auto kinds = [] {
    std::array<ByteKind, 256> table{};
    for (int c = 0; c < 0x20; ++c) table[c] = control;
    for (int c = 0x80; c < 0x100; ++c) table[c] = high;
    table['"'] = quote;
    table['\\'] = backslash;
    return table;
}();
constexpr int deepest = 32, most_digits = 18;

/// The number of \uXXXX, where the text is what follows the u; -1 if it is none.
int unit(std::string_view text) {
    if (text.size() < 4) return -1;
    int value = 0;
    for (int i = 0; i < 4; ++i) {
        const int digit = hex_value(text[i]);
        if (digit < 0) return -1;
        value = value << 4 | digit;
    }
    return value;
}
/// Decodes the escapes of a string's content. Returns false for an invalid escape.
bool unescape(std::string_view raw, std::string& text) {
    text.clear();
    for (;;) {
        const auto at = raw.find('\\');
        text += raw.substr(0, at);
        if (at == raw.npos) return true;
        raw.remove_prefix(at + 1);  // the scanner has checked that a character follows
        const char c = raw.front();
        raw.remove_prefix(1);
        switch (c) {
        case '"':
        case '\\':
        case '/': text += c; continue;
        case 'b': text += '\b'; continue;
        case 'f': text += '\f'; continue;
        case 'n': text += '\n'; continue;
        case 'r': text += '\r'; continue;
        case 't': text += '\t'; continue;
        case 'u': break;
        default: return false;
        }
        const int first = unit(raw);
        if (first < 0 || (first >= 0xDC00 && first < 0xE000)) return false;
        raw.remove_prefix(4);
        if (first < 0xD800 || first >= 0xE000) {
            append_utf8(text, char32_t(first));
            continue;
        }
        if (raw.substr(0, 2) != "\\u") return false;
        const int second = unit(raw.substr(2));
        if (second < 0xDC00 || second >= 0xE000) return false;
        raw.remove_prefix(6);
        append_utf8(text, char32_t(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)));
    }
}

// Scans a chunk once. Each function reads one value, or returns false and stops anywhere. It accepts only a part of
// JSON, and nothing else.
class ChunkScanner {
public:
    explicit ChunkScanner(std::string_view chunk) : at_(chunk.data()), end_(at_ + chunk.size()) {}

    bool at_end() {
        skip_blanks();
        return at_ == end_;
    }
    bool take(char c) {
        skip_blanks();
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        return true;
    }
    bool literal(std::string_view word) {  // the caller takes a mark after it, so nullx fails
        skip_blanks();
        if (std::string_view(at_, std::size_t(end_ - at_)).substr(0, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    bool null() { return literal("null"); }
    template <class Member> bool object(Member member) {
        if (!take('{')) return false;
        if (take('}')) return true;
        do {
            std::string_view key;
            if (!word(key) || !take(':') || !member(key)) return false;
        } while (take(','));
        return take('}');
    }
    template <class Element> bool array_of_one(Element element) { return take('[') && element() && take(']'); }
    /// Reads a string without escapes.
    bool word(std::string_view& text) {
        bool escapes = false;
        return raw_string(text, escapes) && !escapes;
    }
    /// Reads any string; `decoded` holds the text if it has escapes.
    bool string(std::string_view& text, std::string& decoded) {
        bool escapes = false;
        if (!raw_string(text, escapes)) return false;
        raw_ = text;
        if (!escapes) return true;
        if (!unescape(text, decoded)) return false;
        text = decoded;
        return true;
    }
    std::string_view raw() const { return raw_; }  // the last such string, undecoded
    bool integer(std::int64_t& value) {            // not negative
        skip_blanks();
        const char* begin = at_;
        value = 0;
        for (; at_ < end_ && is_digit(*at_); ++at_) {
            if (at_ - begin == most_digits) return false;
            value = value * 10 + (*at_ - '0');
        }
        return at_ > begin && (*begin != '0' || at_ - begin == 1);
    }
    /// Reads an empty value: null, or an empty string, array or object.
    bool nothing() {
        if (take('[')) return take(']');
        if (take('{')) return take('}');
        std::string_view text;
        return null() || (word(text) && text.empty());
    }
    /// Skips any value, within bounds.
    bool skip(int depth = 0) {
        skip_blanks();
        if (at_ == end_ || depth > deepest) return false;
        switch (*at_) {
        case '"': {
            std::string_view text;
            bool escapes = false;
            return raw_string(text, escapes) && (!escapes || unescape(text, scratch_));
        }
        case '{': return object([&](std::string_view) { return skip(depth + 1); });
        case '[':
            ++at_;
            if (take(']')) return true;
            do {
                if (!skip(depth + 1)) return false;
            } while (take(','));
            return take(']');
        case 'n': return null();
        case 't': return literal("true");
        case 'f': return literal("false");
        default: return number();
        }
    }
    /// Reads an object within bounds, as its text.
    bool raw_object(std::string_view& text) {
        skip_blanks();
        const char* begin = at_;
        if (at_ == end_ || *at_ != '{' || !skip()) return false;
        text = {begin, std::size_t(at_ - begin)};
        return true;
    }

private:
    void skip_blanks() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    }
    bool number() {  // without an exponent, so it fits a double
        if (*at_ == '-') ++at_;
        std::int64_t digits = 0;
        if (at_ == end_ || *at_ < '0' || *at_ > '9' || !integer(digits)) return false;
        if (at_ == end_ || *at_ != '.') return true;
        const char* begin = ++at_;
        while (at_ < end_ && is_digit(*at_)) ++at_;
        return at_ > begin && at_ - begin <= most_digits;
    }
    bool raw_string(std::string_view& text, bool& escapes) {
        if (!take('"')) return false;
        const char* begin = at_;
        bool ascii = true;
        for (; at_ < end_; ++at_) {
            const ByteKind kind = kinds[static_cast<unsigned char>(*at_)];
            if (kind == plain) continue;
            if (kind == quote) {
                text = {begin, std::size_t(at_++ - begin)};
                return ascii || is_utf8(text);
            }
            if (kind == control) return false;
            if (kind == high) ascii = false;
            else if (escapes = true; ++at_ == end_) return false;
            else if (kinds[static_cast<unsigned char>(*at_)] > backslash) return false;  // an invalid escape
        }
        return false;
    }

    const char *at_, *end_;
    std::string scratch_;
    std::string_view raw_;
};

/// Accepts each counted member only once, because a parser would take the last of two.
class MemberSet {
public:
    bool operator()(unsigned bit) {
        const bool first = !(seen_ & bit);
        seen_ |= bit;
        return first;
    }
    bool has(unsigned bits) const { return (seen_ & bits) == bits; }

private:
    unsigned seen_ = 0;
};
bool is_zero(ChunkScanner& in) {
    std::int64_t index = 0;
    return in.integer(index) && index == 0;
}
enum : unsigned { text_bit = 1, model_bit = 2, type_bit = 4, delta_bit = 8, index_bit = 16, part_bit = 32 };
}

// A chunk that differs from the last one only in its text needs no scan of the other parts.
std::optional<TextChunk> TextChunkScanner::like_last(ChunkProtocol protocol, std::string_view chunk) {
    const auto last = std::string_view(last_);
    if (protocol_ != protocol || chunk.size() < before_ + after_ || !chunk.starts_with(last.substr(0, before_)) ||
        !chunk.ends_with(last.substr(last.size() - after_)))
        return {};
    auto found = found_;
    found.model = last.substr(model_, found.model.size());
    ChunkScanner in(chunk.substr(before_ - 1, chunk.size() - before_ - after_ + 2));  // with its quotes
    return in.string(found.text, text_) && in.at_end() ? std::optional(found) : std::nullopt;
}
std::optional<TextChunk> TextChunkScanner::remember(ChunkProtocol protocol, std::string_view chunk,
                                                    std::string_view raw_text, const TextChunk& found) {
    last_ = chunk;
    protocol_ = protocol;
    before_ = static_cast<std::size_t>(raw_text.data() - chunk.data());
    after_ = chunk.size() - before_ - raw_text.size();
    model_ = found.model.empty() ? 0 : static_cast<std::size_t>(found.model.data() - chunk.data());
    found_ = found;
    return found;
}
std::optional<TextChunk> TextChunkScanner::openai(std::string_view chunk) {
    if (const auto found = like_last(ChunkProtocol::openai, chunk)) return found;
    TextChunk found;
    ChunkScanner in(chunk);
    MemberSet once;
    const auto delta = [&](std::string_view key) {
        if (key == "content") return once(text_bit) && in.string(found.text, text_);
        return key == "role" ? in.skip() : in.nothing();
    };
    const auto choice = [&](std::string_view key) {
        if (key == "delta") return once(delta_bit) && in.object(delta);
        if (key == "index") return once(index_bit) && is_zero(in);
        if (key == "finish_reason" || key == "error") return in.null();
        return in.skip();
    };
    const bool known = in.object([&](std::string_view key) {
        if (key == "choices") return once(part_bit) && in.array_of_one([&] { return in.object(choice); });
        if (key == "model") return once(model_bit) && in.word(found.model);
        return key == "usage" || key == "error" ? in.null() : in.skip();
    });
    if (!known || !in.at_end() || !once.has(text_bit)) return {};
    return remember(ChunkProtocol::openai, chunk, in.raw(), found);
}
std::optional<TextChunk> TextChunkScanner::responses(std::string_view chunk) {
    TextChunk found;
    ChunkScanner in(chunk);
    MemberSet once;
    const bool known = in.object([&](std::string_view key) {
        std::string_view type;
        if (key == "type") return once(type_bit) && in.word(type) && type == "response.output_text.delta";
        if (key == "delta") return once(text_bit) && in.string(found.text, text_);
        if (key == "output_index") return once(index_bit) && in.integer(found.index);
        if (key == "item_id") return once(part_bit) && in.word(found.item);
        return key == "error" ? in.null() : in.skip();
    });
    return known && in.at_end() && once.has(text_bit | type_bit) ? std::optional(found) : std::nullopt;
}
std::optional<TextChunk> TextChunkScanner::anthropic(std::string_view chunk) {
    if (const auto found = like_last(ChunkProtocol::anthropic, chunk)) return found;
    TextChunk found;
    ChunkScanner in(chunk);
    MemberSet once;
    const auto delta = [&](std::string_view key) {
        std::string_view type;
        if (key == "type") return once(model_bit) && in.word(type) && type == "text_delta";
        return key == "text" && once(text_bit) && in.string(found.text, text_);
    };
    const bool known = in.object([&](std::string_view key) {
        std::string_view type;
        if (key == "type") return once(type_bit) && in.word(type) && type == "content_block_delta";
        if (key == "index") return once(index_bit) && in.integer(found.index);
        return key == "delta" && once(delta_bit) && in.object(delta);
    });
    constexpr unsigned all = text_bit | model_bit | type_bit | index_bit;
    if (!known || !in.at_end() || !once.has(all)) return {};
    return remember(ChunkProtocol::anthropic, chunk, in.raw(), found);
}
std::optional<TextChunk> TextChunkScanner::gemini(std::string_view chunk) {
    TextChunk found;
    ChunkScanner in(chunk);
    MemberSet once;
    const auto part = [&](std::string_view key) {
        return key == "text" && once(text_bit) && in.string(found.text, text_);
    };
    const auto content = [&](std::string_view key) {
        std::string_view role;
        if (key == "role") return in.word(role);
        return key == "parts" && once(part_bit) && in.array_of_one([&] { return in.object(part); });
    };
    const auto candidate = [&](std::string_view key) {
        if (key == "index") return once(index_bit) && is_zero(in);
        return key == "content" && once(delta_bit) && in.object(content);
    };
    const bool known = in.object([&](std::string_view key) {
        if (key == "candidates") return once(type_bit) && in.array_of_one([&] { return in.object(candidate); });
        if (key == "modelVersion") return once(model_bit) && in.word(found.model);
        if (key == "usageMetadata") return found.usage.empty() && in.raw_object(found.usage);
        return (key == "responseId" || key == "createTime") && in.skip();
    });
    return known && in.at_end() && once.has(text_bit) ? std::optional(found) : std::nullopt;
}
std::optional<TextChunk> TextChunkScanner::ollama(std::string_view chunk) {
    TextChunk found;
    ChunkScanner in(chunk);
    MemberSet once;
    const auto message = [&](std::string_view key) {
        if (key == "content") return once(text_bit) && in.string(found.text, text_);
        return key == "role" ? in.skip() : in.nothing();
    };
    const bool known = in.object([&](std::string_view key) {
        if (key == "message") return once(delta_bit) && in.object(message);
        if (key == "model") return once(model_bit) && in.word(found.model);
        if (key == "done") return once(type_bit) && in.literal("false");
        return key == "created_at" ? in.skip() : in.nothing();
    });
    return known && in.at_end() && once.has(text_bit | type_bit) ? std::optional(found) : std::nullopt;
}
}
