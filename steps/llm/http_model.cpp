#include "steps/llm/http_model.hpp"
#include "engine/net/net_error.hpp"
#include "engine/timeout.hpp"
#include "steps/llm/model_error.hpp"
#include <algorithm>
#include <random>

namespace weft::llm {
namespace {
constexpr std::size_t error_page = 8192;  // as much as we look at

double any_chance() {
    thread_local std::minstd_rand generator{std::random_device{}()};
    return std::uniform_real_distribution<double>(0, 1)(generator);
}
Answer answer_of(const net::HttpStream& stream) {
    const auto& headers = stream.headers();
    Answer answer;
    answer.status = stream.status();
    answer.retry_after_ms = find_header(headers, "retry-after-ms");
    answer.retry_after = find_header(headers, "Retry-After");
    answer.should_retry = find_header(headers, "x-should-retry");
    answer.location = find_header(headers, "Location");
    return answer;
}
}

HttpModel::HttpModel(HttpModelOptions options) : options_(std::move(options)) {
    if (!options_.chance) options_.chance = any_chance;
    if (!options_.wall_clock) options_.wall_clock = [] { return std::chrono::system_clock::now(); };
    if (options_.base.tls) client_.trust();
}

net::HttpRequest HttpModel::write(const ChatRequest& request) const {
    net::HttpRequest http;
    http.method = "POST";
    const auto& protocol = *options_.protocol;
    http.url = options_.base / protocol.path(options_.model, options_.stream);
    http.headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream, application/json, */*"}};
    if (protocol.fixed.name) http.headers.push_back({protocol.fixed.name, protocol.fixed.value});
    if (!options_.key.empty()) http.headers.push_back({protocol.key.name, protocol.key.value + options_.key.reveal()});
    http.body = protocol.request(request, options_.model, options_.stream);
    http.timeouts = options_.timeouts;
    if (!options_.stream) {  // then the whole reply may have to be written before its first byte comes
        http.timeouts.first_byte = http.timeouts.total;
        http.limits.stream = http.limits.body;
    }
    return http;
}
awaitable<ChatReply> HttpModel::once(const net::HttpRequest& http, const ChatRequest& request,
                                     const OnDelta& on_delta) {
    auto opening = client_.open(http);
    auto stream = co_await std::move(opening);
    if (stream.status() != 200) {
        std::string page;
        try {
            auto reading = stream.read_up_to(error_page);
            page = co_await std::move(reading);
        } catch (const net::NetError&) {}  // the status says enough
        if (page.size() >= error_page)     // it may end in the middle of the key
            page.resize(page.size() - std::min(page.size(), options_.key.reveal().size()));
        Answer answer = answer_of(stream);
        answer.body = page;
        throw judge(answer, options_.protocol->hints, options_.key, options_.wall_clock());
    }
    if (find_header(stream.headers(), "Content-Type").substr(0, 9) == "text/html")
        throw Fault(Code::model_refused, "answered with a web page; check the base URL");

    auto reader = options_.protocol->reader(request, options_.key);
    while (!reader->done()) {
        auto reading = stream.read();
        const auto bytes = co_await std::move(reading);
        if (bytes.empty()) break;
        reader->feed(bytes, on_delta);
    }
    auto reply = reader->finish(on_delta);
    if (!reader->cut()) {
        auto ending = stream.drain();
        co_await std::move(ending);
    }
    co_return reply;
}
awaitable<ChatReply> HttpModel::chat(const ChatRequest& request, const OnDelta& on_delta) {
    const net::HttpRequest http = write(request);
    bool delivered = false;
    OnDelta tap;
    if (on_delta)
        tap = [&](std::string_view delta) {
            delivered = true;
            on_delta(delta);
        };
    for (int attempt = 1;; ++attempt) {
        std::optional<Fault> fault;
        try {
            auto work = once(http, request, tap);
            co_return co_await std::move(work);
        } catch (const Fault& f) { fault = f; } catch (const net::NetError& e) {
            fault = judge(e, options_.protocol->hints);
        }
        const auto wait = next_wait(options_.retry, *fault, attempt, options_.chance());
        if (delivered || !wait) give_up(*fault, attempt, delivered);
        co_await sleep_for(*wait);
    }
}
void HttpModel::give_up(const Fault& fault, int attempts, bool delivered) const {
    std::string sentence = options_.name + " " + fault.what();
    if (delivered) sentence += "; a part of its reply had been shown, so it was not asked again";
    else if (fault.floor > options_.retry.longest_wait)
        sentence += "; it asks to wait " + std::to_string(fault.floor->count() / 1000) + " s before the next try";
    else if (attempts > 1) sentence += "; tried " + std::to_string(attempts) + " times";
    sentence = options_.key.redact(sentence);
    ModelError::Details details{fault.kind, fault.provider_code, fault.request_id, attempts, {}};
    if (fault.too_long && !delivered) throw PromptTooLong(sentence, std::move(details));
    throw ModelError(fault.code, sentence, std::move(details));
}
}
