// A SAX handler, because nlohmann's parser accepts repeated keys and any depth.
#include "engine/json/parse.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <charconv>

template class nlohmann::detail::serializer<nlohmann::json>;

namespace weft {
namespace {
using nlohmann::json;

class Builder final : public nlohmann::json_sax<json> {
public:
    explicit Builder(JsonLimits limits) : limits_(limits) {}
    json take() { return std::move(root_); }
    const std::string& error() const { return error_; }
    std::size_t position() const { return position_; }

    bool null() override { return put(nullptr); }
    bool boolean(bool v) override { return put(v); }
    bool number_integer(std::int64_t v) override { return put(v); }
    bool number_unsigned(std::uint64_t v) override { return put(v); }
    bool number_float(double v, const std::string& text) override {
        if (limits_.exact && text.find_first_of(".eE") == text.npos) return refuse("a number beyond 64 bits");
        return put(v);
    }
    bool string(std::string& v) override { return put(std::move(v)); }
    bool binary(json::binary_t&) override { return refuse("binary data"); }
    bool start_object(std::size_t) override { return open(json::object()); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_array() override { return close(); }
    bool key(std::string& k) override {
        if (left_out_) return true;
        auto [at, is_new] = open_.back()->get_ref<json::object_t&>().try_emplace(std::move(k), nullptr);
        if (!is_new) return refuse("the key '" + std::string(utf8_cut(k, 60)) + "' twice in one object");
        slot_ = &at->second;
        return true;
    }
    bool parse_error(std::size_t at, const std::string&, const json::exception& e) override {
        position_ = at;
        error_ = e.id == 406 ? "a number that is too large" : "a syntax error";
        return false;
    }

private:
    bool refuse(std::string what) {
        error_ = std::move(what);
        return false;
    }
    json* place(json v) {
        if (open_.empty()) return &(root_ = std::move(v));
        if (open_.back()->is_array()) return &open_.back()->get_ref<json::array_t&>().emplace_back(std::move(v));
        return &(*slot_ = std::move(v));
    }
    bool put(json v) {
        if (!left_out_) place(std::move(v));
        return true;
    }
    bool open(json empty) {
        if (left_out_ || (limits_.shortens && open_.size() >= limits_.depth)) {
            if (left_out_++ == 0) place(std::string(too_deep));
            return true;
        }
        if (open_.size() >= limits_.depth)
            return refuse("more than " + std::to_string(limits_.depth) + " levels of nesting");
        open_.push_back(place(std::move(empty)));  // the pointer stays valid while open: its parent does not grow
        return true;
    }
    bool close() {
        if (!left_out_) open_.pop_back();
        else --left_out_;
        return true;
    }
    JsonLimits limits_;
    json root_;
    std::vector<json*> open_;
    std::size_t left_out_ = 0;  // levels below the bound
    json* slot_ = nullptr;
    std::string error_;
    std::size_t position_ = 0;
};

// Returns line and column, for people.
std::string place_of(std::string_view text, std::size_t position) {
    auto before = text.substr(0, std::min(position, text.size()));
    auto line = 1 + std::size_t(std::count(before.begin(), before.end(), '\n'));
    auto start = before.rfind('\n');
    auto column = before.size() - (start == before.npos ? 0 : start + 1);
    return " at line " + std::to_string(line) + ", column " + std::to_string(std::max<std::size_t>(column, 1));
}

/// Returns the code unit of an escape that begins here; 0 if there is none.
unsigned unit_at(std::string_view text, std::size_t at) {
    unsigned unit = 0;
    if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return 0;
    const auto [end, error] = std::from_chars(text.data() + at + 2, text.data() + at + 6, unit, 16);
    return error == std::errc() && end == text.data() + at + 6 ? unit : 0;
}
bool is_half(unsigned unit, unsigned first) { return (unit & 0xFC00) == first; }
/// JavaScript splits characters of two units, and Python writes such halves. Replaces each single half by U+FFFD
/// without moving other text. Empty if there is none.
std::string without_halves(std::string_view text) {
    std::string whole;
    const auto replace = [&](std::size_t at, std::string_view by) {
        if (whole.empty()) whole = text;
        whole.replace(at, by.size(), by);
    };
    for (std::size_t at = 0; (at = text.find_first_of("\\\xED", at)) != text.npos;) {
        const bool is_escape = text[at] == '\\';
        const auto unit = is_escape ? unit_at(text, at) : 0;
        const bool is_pair = is_half(unit, 0xD800) && is_half(unit_at(text, at + 6), 0xDC00);
        if (!is_pair && (is_half(unit, 0xD800) || is_half(unit, 0xDC00))) replace(at, "\\ufffd");
        const auto is_rest = [&](std::size_t i, unsigned least) {
            return i < text.size() && static_cast<unsigned char>(text[i]) >= least &&
                   static_cast<unsigned char>(text[i]) < 0xC0;
        };
        if (!is_escape && is_rest(at + 1, 0xA0) && is_rest(at + 2, 0x80)) replace(at, "\xEF\xBF\xBD");
        at += is_pair ? 12 : unit ? 6 : is_escape ? 2 : 1;
    }
    return whole;
}
}

json parse_json(std::string_view text, JsonLimits limits) {
    if (text.size() > limits.bytes)
        throw Error(Code::bad_json, "the JSON text is longer than " + std::to_string(limits.bytes) + " bytes");
    Builder builder(limits);
    if (json::sax_parse(text.begin(), text.end(), &builder)) return builder.take();
    if (builder.position())
        if (const auto whole = without_halves(text); !whole.empty()) return parse_json(whole, limits);
    if (is_blank(text)) throw Error(Code::bad_json, "the text is not acceptable JSON: it is empty");
    if (const auto sound = utf8_prefix(text); sound < text.size() && builder.position() > sound)
        throw Error(Code::bad_json, "the text is not acceptable JSON: it has bytes that are not UTF-8" +
                                        place_of(text, sound + 1) + "; write it in UTF-8");
    auto where = builder.position() ? place_of(text, builder.position()) : "";
    throw Error(Code::bad_json, "the text is not acceptable JSON: it has " + builder.error() + where);
}
}
