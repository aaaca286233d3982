// Sends a request to a model across a real socket, with a clock that jumps over its waits, and returns the outcome.
#pragma once
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "steps/models/http/http_model.hpp"
#include "steps/models/model_error.hpp"
#include "steps/models/protocols/openai.hpp"
#include "tests/support/rude_server.hpp"

namespace weft::models {
inline const std::string canary = "sk-canary-12345";
inline const std::string whole_reply =
    R"({"model":"m","choices":[{"message":{"content":"42"},"finish_reason":"stop"}]})";
inline std::string event(const std::string& text, const char* finish = "null") {
    return R"(data: {"choices":[{"delta":{"content":")" + text + R"("},"finish_reason":)" + finish + "}]}\n\n";
}
inline testing::RudeServer::Session once(int status, std::string body, std::string headers = {}) {
    return [=](testing::Peer& peer) {
        peer.read_request();
        peer.answer(status, body, headers + "Connection: close\r\n");
    };
}
/// The beginning of a stream, with or without its end.
inline testing::RudeServer::Session stream(std::string bytes, bool whole) {
    return [=](testing::Peer& peer) {
        peer.read_request();
        char size[20];
        std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
                  (size + bytes + "\r\n") + (whole ? "0\r\n\r\n" : ""));
        if (!whole) peer.reset();
    };
}
struct Asked {
    ChatReply reply;
    std::string text, error;  // the joined deltas; the error, or empty
    Code code = Code::usage;
    std::optional<ModelError> failure;
    std::string form;  // the error's kind: long, tools
    std::vector<CallNote> notes;
    int deltas = 0;
    Duration waited{};
    /// Returns all visible parts.
    std::string shown() const {
        std::string all = reply.text + text + error + reply.request_id + reply.native.json.text;
        if (failure)
            all += failure->details().partial + failure->details().provider_code + failure->details().request_id;
        for (const auto& note : notes) all += note.model + note.text;
        return all;
    }
};
inline HttpModelOptions options_for(const testing::RudeServer& server) {
    HttpModelOptions options;
    options.name = "openai:m";
    options.model = "m";
    options.protocol = &openai_chat;
    options.base = server.url("/v1");
    options.key = Secret(canary);
    options.chance = [] { return 0.5; };
    options.limiter = std::make_shared<Limiter>();
    options.allowance = std::make_shared<RetryAllowance>();
    return options;
}
inline Asked ask(ChatModel& model, Clock& clock, ChatRequest request = {}) {
    Asked asked;
    const auto begin = clock.now();
    if (request.messages.empty()) request.messages = {user("6 * 7?")};
    request.on_note = [&](const CallNote& note) {
        if (note.kind == CallNote::Kind::restart) asked.text.clear();
        asked.notes.push_back(note);
    };
    const OnDelta on_delta = [&](std::string_view delta) {
        asked.text += delta;
        ++asked.deltas;
    };
    try {
        asked.reply = testing::await(model.chat(request, on_delta), clock);
    } catch (const ModelError& error) {
        asked.error = error.what();
        asked.code = error.code();
        asked.failure = error;
        if (dynamic_cast<const PromptTooLong*>(&error)) asked.form = "long";
        if (dynamic_cast<const ToolsUnsupported*>(&error)) asked.form = "tools";
    }
    asked.waited = clock.now() - begin;
    return asked;
}
}
