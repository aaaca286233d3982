// A SAX handler, because nlohmann's own parser takes the last of two equal keys and knows no bound for the depth.
#include "engine/json/parse.hpp"
#include "engine/error.hpp"
#include "engine/text.hpp"
#include "engine/utf8.hpp"
#include <algorithm>

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
        place(std::move(v));
        return true;
    }
    bool open(json empty) {
        if (open_.size() >= limits_.depth)
            return refuse("more than " + std::to_string(limits_.depth) + " levels of nesting");
        open_.push_back(place(std::move(empty)));  // stays where it is while it is open: its parent does not grow
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }
    JsonLimits limits_;
    json root_;
    std::vector<json*> open_;
    json* slot_ = nullptr;
    std::string error_;
    std::size_t position_ = 0;
};

// Where in the text a person would look.
std::string place_of(std::string_view text, std::size_t position) {
    auto before = text.substr(0, std::min(position, text.size()));
    auto line = 1 + std::size_t(std::count(before.begin(), before.end(), '\n'));
    auto start = before.rfind('\n');
    auto column = before.size() - (start == before.npos ? 0 : start + 1);
    return " at line " + std::to_string(line) + ", column " + std::to_string(std::max<std::size_t>(column, 1));
}
}

json parse_json(std::string_view text, JsonLimits limits) {
    if (text.size() > limits.bytes)
        throw Error(Code::bad_json, "the JSON text is longer than " + std::to_string(limits.bytes) + " bytes");
    Builder builder(limits);
    if (json::sax_parse(text.begin(), text.end(), &builder)) return builder.take();
    if (is_blank(text)) throw Error(Code::bad_json, "the text is not acceptable JSON: it is empty");
    auto where = builder.position() ? place_of(text, builder.position()) : "";
    throw Error(Code::bad_json, "the text is not acceptable JSON: it has " + builder.error() + where);
}
}
