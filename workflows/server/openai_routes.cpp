// The endpoint for clients of OpenAI's API: each request is a run, whose events become the answer. A caller that
// disconnects cancels its run. The head of a stream waits for the first text, so that a run that fails immediately
// still has a status.
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/timeout.hpp"
#include "workflows/server/openai/answer.hpp"
#include "workflows/server/openai/chat.hpp"
#include "workflows/server/openai/request.hpp"
#include "workflows/server/openai/responses.hpp"
#include "workflows/server/service.hpp"

namespace weft::server {
namespace {
using nlohmann::json;
constexpr std::chrono::seconds longest_silence{15};

awaitable<void> get_models(Service& service, RouteCall& call) {
    return reply_text(call, 200, "application/json", models_json(service.models, service.created));
}
awaitable<void> get_model(Service& service, RouteCall& call) {
    return reply_text(call, 200, "application/json",
                      model_json(find_model(service.models, call.part(0)), service.created));
}
json openai_request_body(const RouteCall& call) {
    try {
        return parse_json(call.request.body, {.bytes = 16u << 20, .depth = 64});
    } catch (const Error& error) { throw OpenaiRefusal(openai_not_json(error.what())); }
}
/// The earlier messages as pairs of question and answer; either may be empty.
std::vector<std::pair<std::string, std::string>> history_of(const OpenaiRequest& request) {
    std::vector<std::pair<std::string, std::string>> history;
    for (const auto& message : request.earlier) {
        if (message.role == "user" || history.empty()) history.emplace_back();
        auto& [question, answer] = history.back();
        auto& text = message.role == "user" ? question : answer;
        (text += text.empty() ? "" : "\n") += message.text;
    }
    return history;
}
/// The state of one request.
struct AnswerInProgress {
    ServedRuns::RunPointer run;
    std::shared_ptr<EventReader> reader;
    AnswerText answer;
    OpenaiHead head;
    std::unique_ptr<Alarm> silence;
    bool leaving = false;
    bool is_done() const { return leaving || answer.status() != RunStatus::running; }
};
std::shared_ptr<AnswerInProgress> begin_answering(Service& service, RouteCall& call, const OpenaiRequest& asked) {
    RunRequest request{.input = asked.input, .conversation = asked.conversation, .bytes = call.request.body.size()};
    if (asked.conversation.empty()) request.history = history_of(asked);
    if (call.exchange.stopping()) throw OpenaiRefusal(openai_closing(5));
    RunOptions options;
    options.values = service.options.values;
    options.traceparent = std::string(net::find_header(call.request.headers, "traceparent"));
    options.tracestate = std::string(net::find_header(call.request.headers, "tracestate"));
    auto run = service.runs->start(asked.model->id, std::move(request), std::move(options), call.caller);
    auto self = std::make_shared<AnswerInProgress>(AnswerInProgress{
        .run = run,
        .reader = std::make_shared<EventReader>(run->log(), ReaderOptions()),
        .answer = AnswerText(*asked.model, asked.stream && service.runs->workflow(asked.model->id).streams_answers),
        .head = {.id = run->identity.handler,
                 .model = asked.model->id,
                 .created =
                     std::chrono::duration_cast<std::chrono::seconds>(run->started_at().time_since_epoch()).count()}});
    auto& exchange = call.exchange;
    exchange.when_leaving([weak = std::weak_ptr(self), &exchange] {
        const auto self = weak.lock();
        if (!self || !exchange.client_has_gone()) return;  // a stopping server lets the run end
        self->leaving = true;
        self->run->cancel();
        self->reader->nudge();
    });
    return self;
}
std::string feed_answer(AnswerInProgress& self, const LoggedEvent& event) {
    const auto envelope = json::parse(*event.envelope, nullptr, false);
    if (!envelope.is_object()) return {};
    const bool asks = envelope.contains("question");
    const auto outcome = self.run->outcome();
    if (event.is_last && outcome.type.empty()) {
        self.answer.fail(openai_run_failed(outcome.code, outcome.error));
        return {};
    }
    return self.answer.feed(envelope.value("type", ""), envelope.value("value", json::object()), asks);
}
/// Waits for the next texts of the answer; empty after `longest_silence`.
awaitable<std::string> next_piece(AnswerInProgress& self) {
    const auto* runtime = co_await this_runtime();
    if (!self.silence)
        self.silence = runtime->clock->make_alarm(runtime->executor, [weak = std::weak_ptr(self.reader)] {
            if (const auto reader = weak.lock()) reader->nudge();
        });
    self.silence->set(runtime->clock->after(longest_silence));
    auto reading = self.reader->next();
    const auto events = co_await std::move(reading);
    std::string piece;
    for (const auto& event : events)
        if (!self.is_done()) piece += feed_answer(self, event);
    if (self.reader->at_end() && !self.is_done())
        self.answer.fail(openai_run_failed(Code::cancelled, "the run has ended without an answer"));
    co_return piece;
}
net::HttpHeaders openai_reply_headers(const RouteCall& call, const AnswerInProgress& self, std::string_view type) {
    auto headers = call.headers(type);
    headers.push_back({"x-request-id", self.head.id});
    if (type == "text/event-stream") headers.push_back({"X-Accel-Buffering", "no"});
    return headers;
}
template <class Stream> awaitable<void> send_stream(RouteCall& call, AnswerInProgress& self, Stream stream) {
    while (!self.is_done()) {
        auto next = next_piece(self);
        const auto piece = co_await std::move(next);
        std::string text;
        if (!piece.empty()) text = stream.piece(piece);
        else if (!self.is_done()) text = stream.begun() ? ": heartbeat\n\n" : "";
        if (self.answer.status() == RunStatus::failed && !stream.begun()) throw OpenaiRefusal(self.answer.error());
        if (text.empty() && !self.is_done()) continue;
        if (self.leaving) break;
        if (!call.exchange.begun()) {
            auto headers = openai_reply_headers(call, self, "text/event-stream");
            auto beginning = call.exchange.begin(200, std::move(headers));
            co_await std::move(beginning);
        }
        if (self.answer.status() == RunStatus::failed) text += stream.fail(self.answer.error());
        else if (self.is_done()) text += stream.finish(self.answer.finish(), self.answer.usage());
        auto writing = call.exchange.write(std::move(text));
        co_await std::move(writing);
    }
    if (self.leaving) co_return call.exchange.break_off();
    auto ending = call.exchange.end();
    co_await std::move(ending);
}
template <class Stream> awaitable<void> answer_openai(Service& service, RouteCall& call, OpenaiRequest request,
                                                      std::string (*whole)(const OpenaiHead&, const OpenaiAnswer&)) {
    const auto self = begin_answering(service, call, request);
    // Cancels the run in any case: this API has no way to answer a question or get a result later.
    struct End {
        const ServedRuns::RunPointer& run;
        ~End() {
            if (!run->has_ended()) run->cancel();
        }
    } end{self->run};
    call.status = 200;
    if (request.stream) {
        auto stream = [&] {
            if constexpr (std::is_same_v<Stream, ChatStream>) return ChatStream(self->head, request.include_usage);
            else return ResponsesStream(self->head);
        }();
        auto sending = send_stream(call, *self, std::move(stream));
        co_await std::move(sending);
    } else {
        while (!self->is_done()) {
            auto next = next_piece(*self);
            co_await std::move(next);
        }
        if (self->leaving) co_return call.exchange.break_off();
        if (self->answer.status() == RunStatus::failed) throw OpenaiRefusal(self->answer.error());
        net::HttpHeaders more{{"x-request-id", self->head.id}};
        auto replying = reply_text(call, 200, "application/json", whole(self->head, self->answer.answer()),
                                   std::move(more));
        co_await std::move(replying);
    }
}
awaitable<void> post_chat(Service& service, RouteCall& call) {
    return answer_openai<ChatStream>(service, call, parse_chat_request(openai_request_body(call), service.models),
                                     chat_completion);
}
awaitable<void> post_responses(Service& service, RouteCall& call) {
    return answer_openai<ResponsesStream>(
        service, call, parse_responses_request(openai_request_body(call), service.models), response_json);
}
/// These routes ignore all query parameters, since clients add their own, such as a version or a user.
constexpr Route openai_table[] = {
    {"GET", "/v1/models", Access::token, get_models, any_parameter},
    {"GET", "/v1/models/{}", Access::token, get_model, any_parameter},
    {"POST", "/v1/chat/completions", Access::token, post_chat, any_parameter},
    {"POST", "/v1/responses", Access::token, post_responses, any_parameter},
};
}
std::span<const Route> openai_routes() { return openai_table; }
}
