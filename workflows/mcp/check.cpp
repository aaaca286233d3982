// Header values are compared as texts, but numbers as numbers: 7 and 7.0 are the same argument.
#include "workflows/mcp/check.hpp"
#include "engine/text/base64.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "tools/mcp/protocol/header_params.hpp"
#include <algorithm>
#include <charconv>
#include <set>

namespace weft::mcp_server {
namespace {
using nlohmann::json;
constexpr int most_schema_depth = 32;

std::optional<std::string_view> header_in(const Envelope& envelope, const std::string& name) {
    for (const auto& header : *envelope.headers)
        if (lower(header.name) == lower(name)) return trimmed(header.value);
    return {};
}
[[noreturn]] void mismatch(const std::string& sentence) {
    throw RpcFailure(rpc::code::header_mismatch, sentence, nullptr, 400);
}
[[noreturn]] void bad_meta(const std::string& sentence) {
    throw RpcFailure(rpc::code::bad_params, sentence, nullptr, 400);
}
/// Requires the header, with the same value as the body.
void demand_header(const Envelope& envelope, const std::string& name, std::string_view expected) {
    const auto value = header_in(envelope, name);
    if (!value) mismatch("the header " + name + " is missing: it has to repeat the value in the body");
    const auto decoded = decode_header(*value);
    if (!decoded || *decoded != expected) mismatch("the header " + name + " differs from the body");
}
void check_modern_headers(const rpc::Request& request, const Envelope& envelope, const json* version) {
    if (!envelope.http) return;
    if (version && version->is_string())
        demand_header(envelope, "MCP-Protocol-Version", version->get_ref<const std::string&>());
    demand_header(envelope, "Mcp-Method", request.method);
}
CallClient check_modern(const rpc::Request& request, const Envelope& envelope) {
    const auto* version = rpc::find_meta(request.params, rpc::meta::version);
    const auto* capabilities = rpc::find_meta(request.params, rpc::meta::capabilities);
    check_modern_headers(request, envelope, version);
    if (!version || !version->is_string())
        bad_meta("params._meta has to have \"" + std::string(rpc::meta::version) + "\", a text");
    if (!capabilities || !capabilities->is_object())
        bad_meta("params._meta has to have \"" + std::string(rpc::meta::capabilities) + "\", an object");
    if (*version != rpc::revision::modern)
        throw RpcFailure(rpc::code::unsupported_version, "this revision of the protocol is not supported here",
                         {{"supported", {std::string(rpc::revision::modern)}}, {"requested", *version}}, 400);
    CallClient asker;
    asker.era = ClientEra::modern;
    asker.version = *version;
    asker.principal = envelope.principal;
    asker.capabilities = *capabilities;
    return asker;
}
/// Calls `use` for each property with a header, with its argument.
template <class Use> void each_header(const json& schema, const json* arguments, int depth, const Use& use) {
    const auto properties = schema.find("properties");
    if (depth == 0 || properties == schema.end() || !properties->is_object()) return;
    for (const auto& [name, property] : properties->items()) {
        if (!property.is_object()) continue;
        const json* value = arguments && arguments->is_object() && arguments->contains(name) ? &arguments->at(name)
                                                                                             : nullptr;
        if (const auto header = property.find("x-mcp-header"); header != property.end()) use(property, *header, value);
        each_header(property, value, depth - 1, use);
    }
}
bool mentions_header(const json& value) {
    if (value.is_object() && value.contains("x-mcp-header")) return true;
    return value.is_structured() && std::ranges::any_of(value, mentions_header);
}
/// Whether a header is at a place without a named argument: in array elements, in a choice, in a definition.
bool has_header_elsewhere(const json& schema) {
    for (const auto& [key, part] : schema.items()) {
        if (key == "default" || key == "const" || key == "enum" || key == "examples") continue;
        if (key != "properties") {
            if (mentions_header(part)) return true;
        } else if (std::ranges::any_of(part, [](const json& p) { return p.is_object() && has_header_elsewhere(p); }))
            return true;
    }
    return false;
}
std::optional<double> number_in(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
    return number;
}
/// Reads the outermost members of a message as far as possible, whatever their values.
class MessageOutline final : public nlohmann::json_sax<json> {
public:
    std::optional<rpc::Id> id;
    bool method = false, outcome = false, has_id = false;
    bool is_told = false;  // the method's name marks a notification

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(std::int64_t v) override { return put(rpc::Id(v)); }
    bool number_unsigned(std::uint64_t v) override {
        return v > std::uint64_t(INT64_MAX) || put(rpc::Id(std::int64_t(v)));
    }
    bool number_float(double, const std::string&) override { return true; }
    bool string(std::string& v) override {
        if (depth_ == 1 && at_method_) is_told = v.starts_with(rpc::notifications);
        return v.size() > rpc::MessageLimits().text || put(rpc::Id(v));
    }
    bool binary(json::binary_t&) override { return true; }
    bool start_object(std::size_t) override { return open(); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(); }
    bool end_array() override { return close(); }
    bool key(std::string& k) override {
        at_id_ = depth_ == 1 && k == "id";
        at_method_ = depth_ == 1 && k == "method";
        has_id = has_id || at_id_;
        method = method || at_method_;
        outcome = outcome || (depth_ == 1 && (k == "result" || k == "error"));
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const json::exception&) override { return false; }

private:
    bool open() {
        ++depth_;
        return true;
    }
    bool close() {
        --depth_;
        return true;
    }
    bool put(rpc::Id given) {
        if (depth_ == 1 && at_id_) id = std::move(given);
        return true;
    }
    std::size_t depth_ = 0;
    bool at_id_ = false, at_method_ = false;
};
bool says_the_same(const std::string& header, const json& value) {
    if (value.is_string()) return value.get_ref<const std::string&>() == header;
    if (value.is_boolean()) return header == (value.get<bool>() ? "true" : "false");
    if (!value.is_number()) return false;
    if (header == value.dump()) return true;
    if (value.is_number_integer() && header.find_first_not_of("-0123456789") == header.npos) return false;
    const auto number = number_in(header);
    return number && *number == value.get<double>();
}
}

MessageKind classify(rpc::Malformed& malformed, std::string_view text) {
    MessageOutline outline;
    const bool whole = json::sax_parse(text.begin(), text.end(), &outline);
    const bool told = !outline.id && outline.method && (outline.is_told || (whole && !outline.has_id));
    if (malformed.code == rpc::code::not_json) malformed.id = std::move(outline.id);
    return told              ? MessageKind::notification
           : outline.method  ? MessageKind::request
           : outline.outcome ? MessageKind::response
                             : MessageKind::other;
}
bool is_modern(const json& params, const Envelope& envelope) {
    if (rpc::find_meta(params, rpc::meta::version)) return true;
    return envelope.headers && header_in(envelope, "MCP-Protocol-Version") == rpc::revision::modern;
}
CallClient check_envelope(const rpc::Request& request, const Envelope& envelope) {
    if (is_modern(request.params, envelope)) return check_modern(request, envelope);
    if (envelope.agreed) return *envelope.agreed;
    CallClient stranger;
    stranger.principal = envelope.principal;
    if (request.method == rpc::method::initialize || request.method == rpc::method::ping) return stranger;
    throw RpcFailure(rpc::code::no_request,
                     "this client has agreed on no revision of the protocol: send \"initialize\" first, or \"" +
                         std::string(rpc::meta::version) + "\" in params._meta",
                     nullptr, 400);
}
void check_names(const std::string& method, const json& params, const Envelope& envelope) {
    if (!envelope.http) return;
    const auto* key = rpc::key_of_name(method);
    if (!key) return;
    const auto name = params.find(key);
    if (name != params.end() && name->is_string())
        demand_header(envelope, "Mcp-Name", name->get_ref<const std::string&>());
}
void check_params(const json& arguments, const json& schema, const Envelope& envelope) {
    if (!envelope.http) return;
    each_header(schema, &arguments, most_schema_depth, [&](const json&, const json& header, const json* value) {
        if (!header.is_string()) return;
        const auto name = "Mcp-Param-" + header.get<std::string>();
        const auto text = header_in(envelope, name);
        if (!value || value->is_null()) {
            if (text) mismatch("the header " + name + " repeats an argument that the body does not have");
            return;
        }
        if (!text) mismatch("the header " + name + " is missing: it has to repeat an argument");
        const auto decoded = decode_header(*text);
        if (!decoded || !says_the_same(*decoded, *value)) mismatch("the header " + name + " differs from the argument");
    });
}
std::optional<std::string> decode_header(std::string_view value) {
    constexpr std::string_view begin = "=?base64?", end = "?=";
    if (!value.starts_with(begin) || !value.ends_with(end) || value.size() < begin.size() + end.size())
        return std::string(value);
    const auto text = value.substr(begin.size(), value.size() - begin.size() - end.size());
    auto bytes = text.size() > (64 << 10) ? std::nullopt : from_base64(text);
    return bytes && is_utf8(*bytes) ? bytes : std::nullopt;
}
std::string header_mistake(const json& schema) {
    std::set<std::string> names;
    std::string mistake;
    each_header(schema, nullptr, most_schema_depth, [&](const json& property, const json& header, const json*) {
        if (!header.is_string() || !rpc::is_header_name(header.get<std::string>()))
            mistake = "has an x-mcp-header that cannot be the name of a header";
        else if (!rpc::fits_header(property))
            mistake = "has an x-mcp-header at a value that is not a string, integer or boolean";
        else if (!names.insert(lower(header.get<std::string>())).second) mistake = "has an x-mcp-header twice";
    });
    if (mistake.empty() && has_header_elsewhere(schema)) mistake = "has an x-mcp-header outside of a named argument";
    return mistake;
}
}
