// Metrics and traces of an engine. The collector of the traces is a small server of this program, which prints them.
#include "engine/engine.hpp"
#include "engine/net/http_server.hpp"
#include "engine/operation.hpp"
#include "engine/telemetry/metrics.hpp"
#include "engine/telemetry/observers.hpp"
#include "engine/telemetry/tracer.hpp"
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
using namespace weft;
using namespace std::chrono_literals;

struct WordEvent : StartEvent {
    std::string text;
};
struct MeaningEvent : StopEvent {
    std::string text;
};
// [operation]
MeaningEvent look_up(Context& ctx, WordEvent word) {
    auto operation = ctx.operation("look_up", [&](OperationDetails& details) {
        details.name = "dictionary";
        details.add("dictionary.word.length", word.text.size());
    });
    MeaningEvent meaning{.text = "what a loom's cross threads are"};  // a program reads a file here
    operation.end([&](OperationDetails& details) { details.add("dictionary.found", true); });
    return meaning;
}
// [/operation]
inline constexpr auto dictionary = workflow("dictionary", step<look_up>);

awaitable<void> collect(net::HttpExchange& exchange) {
    const auto sent = nlohmann::json::parse(exchange.request().body);
    for (const auto& span : sent["resourceSpans"][0]["scopeSpans"][0]["spans"])
        std::cout << "span: " << span["name"].get<std::string>() << '\n';
    net::HttpReply taken{.headers = {{"Content-Type", "application/json"}}, .body = "{}"};
    return exchange.respond(std::move(taken));
}
int main() {
    Engine home;
    net::HttpServer collector({}, collect);
    collector.listen(home.first_runtime());
    std::jthread collecting([&] { home.wait(collector.run()); });
    const auto variable = [&](const std::string& name) -> std::optional<std::string> {
        if (name != "OTEL_EXPORTER_OTLP_ENDPOINT") return {};
        return "http://127.0.0.1:" + std::to_string(collector.port());
    };
    // [observers]
    telemetry::Metrics metrics;
    std::vector<std::string> warnings;
    telemetry::Tracer tracer(telemetry::otel_settings(variable, warnings));
    telemetry::Observers observers({&metrics, &tracer});
    const auto words = metrics.counter("dictionary_words_total", "Words that were looked up.", {"language"});

    Engine engine({.observer = &observers});
    tracer.start(engine.first_runtime());
    engine.wait(engine.start(dictionary, {.text = "weft"}).result());
    words.add({"en"});
    engine.wait(tracer.flush(5s));
    // [/observers]
    std::istringstream text(metrics.text());
    for (std::string line; std::getline(text, line);)
        if (line.starts_with("weft_runs_total") || line.starts_with("weft_steps_total") || line.starts_with("dict"))
            std::cout << line << '\n';
    collector.stop(1s);
}
// prints:
// span: look_up dictionary
// span: invoke_workflow dictionary
// weft_runs_total{workflow="dictionary",outcome="stopped"} 1
// weft_steps_total{workflow="dictionary",step="look_up",outcome="ok"} 1
// dictionary_words_total{language="en"} 1
