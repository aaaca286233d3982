// Reads the settings of traces and their collector from the variables of OpenTelemetry.
//
//     std::vector<std::string> warnings;
//     auto options = telemetry::otel_settings(variable, warnings);     // from a function such as std::getenv
//     for (auto& sentence : warnings) warn(sentence);
//     telemetry::Tracer tracer(std::move(options));
//
// | variable | default | |
// |---|---|---|
// | `OTEL_SDK_DISABLED` | false | true: no traces |
// | `OTEL_TRACES_EXPORTER` | | none: no traces; otlp: to the default endpoint if none is set |
// | `OTEL_EXPORTER_OTLP_ENDPOINT` | http://localhost:4318 | `/v1/traces` is added; each endpoint enables traces |
// | `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` | | unchanged, overrides the former |
// | `OTEL_EXPORTER_OTLP_HEADERS` | | `name=value,name=value`, percent-decoded; never shown |
// | `OTEL_EXPORTER_OTLP_PROTOCOL` | http/json | the only one; others give a warning |
// | `OTEL_EXPORTER_OTLP_TIMEOUT` | 10000 | milliseconds of one request |
// | `OTEL_EXPORTER_OTLP_TRACES_HEADERS`, `_PROTOCOL`, `_TIMEOUT` | | override the three above |
// | `OTEL_SERVICE_NAME` | weft | |
// | `OTEL_RESOURCE_ATTRIBUTES` | | `key=value,key=value`, percent-decoded |
// | `OTEL_TRACES_SAMPLER` | parentbased_always_on | also always_off, traceidratio, with or without parentbased_ |
// | `OTEL_TRACES_SAMPLER_ARG` | 1.0 | for traceidratio: the share of sampled traces |
// | `OTEL_BSP_SCHEDULE_DELAY` | 5000 | milliseconds until spans are sent, or less if a batch is full |
// | `OTEL_BSP_MAX_QUEUE_SIZE` | 2048 | waiting spans; further ones are dropped and counted |
// | `OTEL_BSP_MAX_EXPORT_BATCH_SIZE` | 512 | spans of one request |
// | `OTEL_BSP_EXPORT_TIMEOUT` | 30000 | milliseconds of a batch with all its retries |
// | `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` | false | true: prompts, replies, arguments, results, too |
//
// An empty variable counts as unset. An unusable value gives one warning, which names the variable but never the value,
// and the default applies. Unlike the SDKs of OpenTelemetry, weft sends nothing unless an endpoint or otlp is set.
#pragma once
#include "engine/clock.hpp"
#include "engine/net/http_client.hpp"
#include <optional>

namespace weft::telemetry {
enum class Sampler { always_on, always_off, ratio };
struct TracerOptions {
    bool enabled = true;  // false: nothing is recorded, and a run's traceparent is passed on unchanged
    net::Url endpoint = net::parse_url("http://localhost:4318/v1/traces");
    net::HttpHeaders headers;  // secrets
    Duration request_timeout = std::chrono::seconds(10), batch_timeout = std::chrono::seconds(30);
    std::vector<std::pair<std::string, std::string>> resource = {{"service.name", "weft"}};
    bool parent_based = true;  // follows the sampled flag of the caller's trace
    Sampler sampler = Sampler::always_on;
    double ratio = 1;
    Duration schedule_delay = std::chrono::seconds(5);
    std::size_t queue = 2048, batch = 512;
    bool content = false;
    // Not from variables:
    std::vector<std::string> agents = {};    // workflows with spans invoke_agent; others have invoke_workflow
    std::optional<std::uint64_t> seed = {};  // for ids and retry waits; empty: random
    net::ProxySettings proxies;
    std::function<void(const std::string&)> warn = {};  // failures of sending, at most once a minute; on the loop
};
using OtelVariable = std::function<std::optional<std::string>(const std::string& name)>;
TracerOptions otel_settings(const OtelVariable&, std::vector<std::string>& warnings);
}
