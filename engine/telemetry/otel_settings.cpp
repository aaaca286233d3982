// Warnings never quote values: an endpoint or header may hold a secret.
#include "engine/telemetry/otel_settings.hpp"
#include "engine/error.hpp"
#include "engine/net/url.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <charconv>

namespace weft::telemetry {
namespace {
using Pairs = std::vector<std::pair<std::string, std::string>>;
constexpr std::size_t longest_variable = 16 << 10, most_pairs = 64;

/// Reads name=value,name=value; nullopt for anything else.
std::optional<Pairs> pairs_in(std::string_view text) {
    Pairs pairs;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        const auto item = trimmed(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        if (item.empty()) continue;
        const auto equals = item.find('=');
        if (equals == item.npos || equals == 0 || pairs.size() == most_pairs) return {};
        auto name = net::percent_decoded(trimmed(item.substr(0, equals)));
        auto value = net::percent_decoded(trimmed(item.substr(equals + 1)));
        if (!name || !value || name->empty()) return {};
        pairs.emplace_back(std::move(*name), std::move(*value));
    }
    return pairs;
}
/// True for a valid name of a header that the request does not set itself.
bool is_header_name(const std::string& name) {
    for (const auto* own : {"host", "content-length", "content-type", "transfer-encoding", "connection"})
        if (lower(name) == own) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return is_letter_or_digit(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
}
bool is_header_value(const std::string& value) {
    return std::all_of(value.begin(), value.end(), [](unsigned char c) { return (c >= ' ' && c != 127) || c == '\t'; });
}

class OtelReader {
public:
    OtelReader(const OtelVariable& get, std::vector<std::string>& warnings) : get_(get), warnings_(warnings) {}
    TracerOptions read() {
        read_endpoint();
        read_headers();
        for (const auto* name : {"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"})
            if (const auto text = get(name); text && *text != "http/json")
                warn(name, "is not 'http/json', the only protocol of weft's traces");
        for (const auto* name : {"OTEL_EXPORTER_OTLP_COMPRESSION", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION"})
            if (const auto text = get(name); text && *text != "none")
                warn(name, "is not 'none', and weft sends traces without compression");
        for (const std::string prefix : {"OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_TRACES_"}) {
            if (const auto name = prefix + "CERTIFICATE"; get(name.c_str()))
                warn(name.c_str(), "is not read, as weft trusts the authorities of the system or of SSL_CERT_FILE");
            for (const auto* file : {"CLIENT_CERTIFICATE", "CLIENT_KEY"})
                if (const auto name = prefix + file; get(name.c_str()))
                    warn(name.c_str(), "is not read, as weft sends no client certificate");
        }
        if (const auto text = get("OTEL_PROPAGATORS"); text && text->find("tracecontext") == text->npos)
            warn("OTEL_PROPAGATORS", "lacks 'tracecontext', the only form in which weft passes a trace on");
        for (const auto* name : {"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"})
            read_time(name, options_.request_timeout);
        read_time("OTEL_BSP_SCHEDULE_DELAY", options_.schedule_delay);
        read_time("OTEL_BSP_EXPORT_TIMEOUT", options_.batch_timeout);
        read_size("OTEL_BSP_MAX_QUEUE_SIZE", options_.queue);
        read_size("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", options_.batch);
        options_.batch = std::min(options_.batch, options_.queue);
        read_resource();
        read_sampler();
        read_bool("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", options_.content);
        return std::move(options_);
    }

private:
    std::optional<std::string> get(const char* name) {
        auto text = get_(name);
        if (text) text = std::string(trimmed(*text));
        if (!text || text->empty()) return {};
        if (text->size() <= longest_variable && is_utf8(*text)) return text;
        warn(name, "is longer than 16 KB, or is not UTF-8");
        return {};
    }
    void warn(const char* name, const std::string& why) {
        warnings_.push_back(std::string(name) + " " + why + ": it is ignored");
    }
    bool read_url(const char* name, bool is_base) {
        const auto text = get(name);
        if (!text) return false;
        try {
            auto url = net::parse_url(*text);
            options_.endpoint = is_base ? url / "v1/traces" : std::move(url);
            return true;
        } catch (const Error&) { warn(name, "is not an address such as http://localhost:4318"); }
        return false;
    }
    void read_endpoint() {
        bool wanted = read_url("OTEL_EXPORTER_OTLP_ENDPOINT", true);
        wanted = read_url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", false) || wanted;
        if (const auto exporter = get("OTEL_TRACES_EXPORTER")) {
            if (*exporter == "none") wanted = false;
            else if (*exporter == "otlp") wanted = true;
            else warn("OTEL_TRACES_EXPORTER", "is neither 'otlp' nor 'none'");
        }
        bool disabled = false;
        read_bool("OTEL_SDK_DISABLED", disabled);
        options_.enabled = wanted && !disabled;
    }
    void read_headers() {
        for (const auto* name : {"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}) {
            const auto text = get(name);
            if (!text) continue;
            const auto pairs = pairs_in(*text);
            const bool good = pairs && std::all_of(pairs->begin(), pairs->end(), [](auto& pair) {
                                  return is_header_name(pair.first) && is_header_value(pair.second);
                              });
            if (!good) {
                warn(name, "is not a list of headers such as api-key=abc,tenant=a%20b");
                continue;
            }
            options_.headers.clear();  // the variable for traces overrides the general one
            for (const auto& [key, value] : *pairs) options_.headers.push_back({key, value});
        }
    }
    void set_resource(const std::string& key, const std::string& value) {
        std::erase_if(options_.resource, [&](auto& pair) { return pair.first == key; });
        options_.resource.emplace_back(key, value);
    }
    void read_resource() {
        if (const auto text = get("OTEL_RESOURCE_ATTRIBUTES")) {
            const auto pairs = pairs_in(*text);
            if (!pairs)
                warn("OTEL_RESOURCE_ATTRIBUTES",
                     "is not a list of attributes such as deployment.environment.name=test");
            else
                for (const auto& [key, value] : *pairs) set_resource(repair_utf8(key), repair_utf8(value));
        }
        if (const auto name = get("OTEL_SERVICE_NAME")) set_resource("service.name", *name);
    }
    void read_sampler() {
        if (const auto text = get("OTEL_TRACES_SAMPLER")) {
            std::string_view name = *text;
            const std::string_view prefix = "parentbased_";
            const bool parent_based = name.starts_with(prefix);
            if (parent_based) name.remove_prefix(prefix.size());
            const std::string_view names[] = {"always_on", "always_off", "traceidratio"};
            const auto at = std::find(std::begin(names), std::end(names), name);
            if (at == std::end(names))
                warn("OTEL_TRACES_SAMPLER",
                     "is not always_on, always_off or traceidratio, with or without 'parentbased_' before it");
            else {
                options_.parent_based = parent_based;
                options_.sampler = static_cast<Sampler>(at - std::begin(names));
            }
        }
        const auto text = get("OTEL_TRACES_SAMPLER_ARG");
        if (!text || options_.sampler != Sampler::ratio) return;
        double ratio = 0;
        const auto end = std::from_chars(text->data(), text->data() + text->size(), ratio);
        if (end.ec != std::errc() || end.ptr != text->data() + text->size() || !(ratio >= 0 && ratio <= 1))
            warn("OTEL_TRACES_SAMPLER_ARG", "is not a number from 0 to 1");
        else options_.ratio = ratio;
    }
    std::optional<std::int64_t> read_number(const char* name, std::int64_t most) {
        const auto text = get(name);
        if (!text) return {};
        std::int64_t number = 0;
        const auto end = std::from_chars(text->data(), text->data() + text->size(), number);
        if (end.ec == std::errc() && end.ptr == text->data() + text->size() && number >= 1 && number <= most)
            return number;
        warn(name, "is not a whole number from 1 to " + std::to_string(most));
        return {};
    }
    void read_time(const char* name, Duration& to) {
        if (const auto number = read_number(name, 3'600'000)) to = std::chrono::milliseconds(*number);
    }
    void read_size(const char* name, std::size_t& to) {
        if (const auto number = read_number(name, 1'000'000)) to = static_cast<std::size_t>(*number);
    }
    void read_bool(const char* name, bool& to) {
        const auto text = get(name);
        if (!text) return;
        const auto word = lower(*text);
        if (word == "true" || word == "false") to = word == "true";
        else warn(name, "is neither 'true' nor 'false'");
    }
    const OtelVariable& get_;
    std::vector<std::string>& warnings_;
    TracerOptions options_;
};
}

TracerOptions otel_settings(const OtelVariable& get, std::vector<std::string>& warnings) {
    return OtelReader(get, warnings).read();
}
}
