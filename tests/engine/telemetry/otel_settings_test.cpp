// The settings by variables of OpenTelemetry, and warnings about invalid ones without their value.
#include "engine/telemetry/otel_settings.hpp"
#include <doctest/doctest.h>
#include <map>
using namespace weft;
using namespace weft::telemetry;
using namespace std::chrono_literals;

namespace {
using Variables = std::map<std::string, std::string>;
struct Settings {
    TracerOptions options;
    std::vector<std::string> warnings;
};
Settings read(const Variables& variables) {
    Settings settings;
    const auto get = [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return {};
        return found->second;
    };
    settings.options = otel_settings(get, settings.warnings);
    return settings;
}
const std::string collector = "http://collector:4318";
}
TEST_CASE("a tracer without an endpoint makes no traces") {
    CHECK_FALSE(read({}).options.enabled);
    CHECK_FALSE(read({{"OTEL_EXPORTER_OTLP_ENDPOINT", " "}}).options.enabled);
    CHECK(read({{"OTEL_TRACES_EXPORTER", "otlp"}}).options.enabled);
    CHECK(read({{"OTEL_TRACES_EXPORTER", "otlp"}}).options.endpoint.text() == "http://localhost:4318/v1/traces");
    CHECK_FALSE(read({{"OTEL_EXPORTER_OTLP_ENDPOINT", collector}, {"OTEL_TRACES_EXPORTER", "none"}}).options.enabled);
    CHECK_FALSE(read({{"OTEL_EXPORTER_OTLP_ENDPOINT", collector}, {"OTEL_SDK_DISABLED", "TRUE"}}).options.enabled);
}
TEST_CASE("the endpoint of traces is used unchanged, the general one gets its path") {
    const auto endpoint = [](const Variables& variables) { return read(variables).options.endpoint.text(); };
    CHECK(endpoint({{"OTEL_EXPORTER_OTLP_ENDPOINT", collector}}) == collector + "/v1/traces");
    CHECK(endpoint({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://c/otlp/"}}) == "https://c/otlp/v1/traces");
    CHECK(endpoint({{"OTEL_EXPORTER_OTLP_ENDPOINT", collector},
                    {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/x"}}) == "http://t/x");
}
TEST_CASE("headers and attributes of the resource are percent-decoded") {
    const auto settings = read({{"OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b%3d, tenant = t=1 ,"},
                                {"OTEL_RESOURCE_ATTRIBUTES", "service.name=other,team=a%2Cb"},
                                {"OTEL_SERVICE_NAME", "shop"}});
    REQUIRE(settings.options.headers.size() == 2);
    CHECK(settings.options.headers[0].name == "api-key");
    CHECK(settings.options.headers[0].value == "a b=");
    CHECK(settings.options.headers[1].value == "t=1");
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    CHECK(settings.options.resource == Pairs{{"team", "a,b"}, {"service.name", "shop"}});
    CHECK(settings.warnings.empty());
    CHECK(read({{"OTEL_EXPORTER_OTLP_HEADERS", "a=1"}, {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "b=2"}})
              .options.headers[0]
              .name == "b");
}
TEST_CASE("samplers, times and sizes are read from the environment") {
    const auto options = read({{"OTEL_TRACES_SAMPLER", "traceidratio"},
                               {"OTEL_TRACES_SAMPLER_ARG", "0.25"},
                               {"OTEL_BSP_SCHEDULE_DELAY", "100"},
                               {"OTEL_BSP_MAX_QUEUE_SIZE", "10"},
                               {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "20"},
                               {"OTEL_BSP_EXPORT_TIMEOUT", "2000"},
                               {"OTEL_EXPORTER_OTLP_TIMEOUT", "300"},
                               {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"},
                               {"OTEL_EXPORTER_OTLP_COMPRESSION", "none"},
                               {"OTEL_PROPAGATORS", "tracecontext"},
                               {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true"}})
                             .options;
    CHECK(options.sampler == Sampler::ratio);
    CHECK_FALSE(options.parent_based);
    CHECK(options.ratio == 0.25);
    CHECK(options.schedule_delay == 100ms);
    CHECK(options.queue == 10);
    CHECK(options.batch == 10);
    CHECK(options.batch_timeout == 2s);
    CHECK(options.request_timeout == 300ms);
    CHECK(options.content);
    CHECK(read({{"OTEL_TRACES_SAMPLER", "parentbased_always_off"}}).options.sampler == Sampler::always_off);
    CHECK(read({{"OTEL_TRACES_SAMPLER", "parentbased_always_off"}}).options.parent_based);
    CHECK_FALSE(read({}).options.content);
}
TEST_CASE("an unusable setting makes one warning with its name, never its value, and the default applies") {
    const std::string canary = "canary";
    const Variables wrong = {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:canary@host"},
                             {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "canary"},
                             {"OTEL_EXPORTER_OTLP_HEADERS", "api-key=canary%0"},
                             {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "api-key=canary%0d%0aHost: canary"},
                             {"OTEL_EXPORTER_OTLP_PROTOCOL", "canary"},
                             {"OTEL_EXPORTER_OTLP_COMPRESSION", "canary"},
                             {"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "gzip"},
                             {"OTEL_EXPORTER_OTLP_CERTIFICATE", "/canary.pem"},
                             {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "/canary.pem"},
                             {"OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", "/canary.pem"},
                             {"OTEL_PROPAGATORS", "b3,canary"},
                             {"OTEL_EXPORTER_OTLP_TIMEOUT", "-1"},
                             {"OTEL_RESOURCE_ATTRIBUTES", "canary"},
                             {"OTEL_SERVICE_NAME", std::string(100000, 'c')},
                             {"OTEL_SDK_DISABLED", "canary"},
                             {"OTEL_TRACES_EXPORTER", "canary"},
                             {"OTEL_TRACES_SAMPLER", "canary"},
                             {"OTEL_BSP_SCHEDULE_DELAY", "1s canary"},
                             {"OTEL_BSP_MAX_QUEUE_SIZE", "99999999999999999999"},
                             {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "0"},
                             {"OTEL_BSP_EXPORT_TIMEOUT", "canary"},
                             {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "yes"}};
    const auto settings = read(wrong);
    CHECK(settings.warnings.size() == wrong.size());
    for (const auto& warning : settings.warnings) {
        INFO(warning);
        CHECK(warning.find(canary) == std::string::npos);
        CHECK(warning.ends_with(": it is ignored"));
        CHECK(wrong.contains(warning.substr(0, warning.find(' '))));
    }
    const TracerOptions usual;
    CHECK(settings.options.endpoint == usual.endpoint);
    CHECK(settings.options.headers.empty());
    CHECK(settings.options.resource == usual.resource);
    CHECK(settings.options.schedule_delay == usual.schedule_delay);
    CHECK(settings.options.queue == usual.queue);
    CHECK(settings.options.batch == usual.batch);
    CHECK_FALSE(settings.options.content);
    for (const auto* ratio : {"nan", "0.5x", "-0.1", "1.1"})
        CHECK(read({{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", ratio}}).warnings.size() == 1);
    for (const auto* own : {"Host=x", "content-length=1", "a b=1", "=x"})
        CHECK(read({{"OTEL_EXPORTER_OTLP_HEADERS", own}}).warnings.size() == 1);
}
