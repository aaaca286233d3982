// Workflows behind a server and its clients, in one thread and in virtual time.
//
//     ServedWorkflows world({.guard = {.tokens = {"0123456789abcdef"}}});
//     const auto answer = world.post("/workflows/hello/run", R"({"start_event": {"text": "World"}})");
//     CHECK(answer.status == 200);
//     CHECK(answer.json()["status"] == "completed");
#pragma once
#include "engine/durable.hpp"
#include "tests/support/served.hpp"
#include "workflows/hello.hpp"
#include "workflows/refund.hpp"
#include "workflows/server/service.hpp"
#include <nlohmann/json.hpp>

namespace weft::testing {
struct Answer {
    std::string text;
    unsigned status() const { return status_of(text); }
    std::string body() const { return body_of(text); }
    nlohmann::json json() const { return nlohmann::json::parse(body()); }
    bool has(std::string_view part) const { return text.find(part) != std::string::npos; }
};
inline std::string request_of(std::string_view method, std::string_view target, std::string_view body = {},
                              std::string_view headers = "Content-Type: application/json\r\n",
                              std::string_view host = "localhost") {
    std::string text = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: " + std::string(host);
    text += "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    return ((text += headers) += "\r\n") += body;
}
/// Returns the events of a chunked body, each with its id and its JSON.
struct StreamedEvent {
    std::int64_t id = -2;
    nlohmann::json envelope;
};
inline std::string unchunked(std::string_view body) {
    std::string text;
    while (!body.empty()) {
        const auto end = body.find("\r\n");
        const auto size = std::stoul(std::string(body.substr(0, end)), nullptr, 16);
        text += body.substr(end + 2, size);
        body.remove_prefix(std::min(end + 4 + size, body.size()));
    }
    return text;
}
inline std::vector<StreamedEvent> events_in(std::string_view stream) {
    std::vector<StreamedEvent> events;
    while (!stream.empty()) {
        const auto end = stream.find("\n\n");
        const auto block = stream.substr(0, end);
        stream.remove_prefix(end == stream.npos ? stream.size() : end + 2);
        if (block.starts_with(":") || block.empty()) continue;
        const auto data = block.find("data: ");
        REQUIRE(data != block.npos);
        StreamedEvent event;
        if (block.starts_with("id: ")) event.id = std::stoll(std::string(block.substr(4, data - 5)));
        event.envelope = nlohmann::json::parse(block.substr(data + 6));
        events.push_back(std::move(event));
    }
    return events;
}
inline std::vector<std::string> types_in(const std::vector<StreamedEvent>& events) {
    std::vector<std::string> types;
    for (const auto& event : events) types.push_back(event.envelope.at("type"));
    return types;
}
struct ServedWorkflows {
    using More = std::function<void(Engine&, std::vector<server::ServedWorkflow>&)>;
    /// With a store, runs are durable and its stored runs are served.
    explicit ServedWorkflows(server::ServerOptions options = {}, const More& more = {})
        : engine(served.io, EngineOptions{.store = options.store, .clock = &served.clock}) {
        std::vector<server::ServedWorkflow> all;
        if (options.store) {
            all.push_back(server::offer(engine, durable(workflows::hello)));
            all.push_back(server::offer(engine, durable(workflows::refund)));
        } else {
            all.push_back(server::offer(engine, workflows::hello, "greets a person by name"));
            all.push_back(server::offer(engine, workflows::refund, "asks before a refund"));
        }
        if (more) more(engine, all);
        service = std::make_shared<server::Service>(engine, std::move(all), std::move(options));
        service->runs->restore();
        served.turn();
    }
    ~ServedWorkflows() {
        auto leaving = service->runs->leave();
        spawn(served.runtime(), std::move(leaving), [](std::exception_ptr) {});
        served.turn();
    }
    Answer ask(std::string_view request) {
        Caller caller(served);
        return {caller.ask(request)};
    }
    Answer get(std::string_view target) { return ask(request_of("GET", target)); }
    Answer post(std::string_view target, std::string_view body = {}) { return ask(request_of("POST", target, body)); }
    /// Requests the events of a run, and returns the present ones.
    std::vector<StreamedEvent> events(const std::string& id, const std::string& more = {}) {
        Caller reader(served);
        return events_in(unchunked(body_of(reader.ask(request_of("GET", "/events/" + id + more)))));
    }
    /// Starts a refund that waits for its approval.
    std::string begin_refund() {
        const auto answer = post("/workflows/refund/run-nowait",
                                 R"({"start_event": {"order": "A-17", "amount": 120}})");
        return answer.json().at("handler_id").get<std::string>();
    }
    Served served{[this](net::HttpExchange& exchange) { return service->handle(exchange); },
                  {.look_at_head = [this](const net::IncomingRequest& head) { return service->look_at_head(head); },
                   .refuse = [this](const net::IncomingRequest& head, unsigned status,
                                    const std::string& detail) { return service->refuse(head, status, detail); }}};
    Engine engine;
    std::shared_ptr<server::Service> service;
};
}
