// An answer with an error status is thrown as a Fault, and handled in one place. A page is cut before the key is looked
// for in it, so as much more is cut off as half a key at its end could take.
#include "steps/models/http/http_model.hpp"
#include "engine/net/net_error.hpp"
#include "engine/store.hpp"
#include "engine/timeout.hpp"
#include "engine/trace_context.hpp"
#include "engine/utf8.hpp"
#include "steps/models/http/http_call.hpp"
#include <algorithm>
#include <atomic>
#include <random>

namespace weft::models {
namespace {
using net::find_header;
constexpr std::size_t error_page = 8192;                     // as much as we look at
constexpr Duration longest_hint = std::chrono::seconds(10);  // a limit that is used up is waited for as long as this

double any_chance() {
    thread_local std::minstd_rand generator{std::random_device{}()};
    return std::uniform_real_distribution<double>(0, 1)(generator);
}
std::string new_key() {
    static const std::uint64_t process = std::random_device{}() * 0x100000001ull ^ std::random_device{}();
    static std::atomic<std::uint64_t> last{0};
    char text[48];
    std::snprintf(text, sizeof text, "weft-%016llx-%llu", static_cast<unsigned long long>(process),
                  static_cast<unsigned long long>(++last));
    return text;
}
/// Servers refuse a key that came with another body, so the body's sum is a part of it. The caller's key goes in as a
/// sum, too, because it may have characters that no header may have.
std::string idempotency_key(const std::string& key, std::string_view body) {
    if (key.empty()) return new_key();
    char text[48];
    std::snprintf(text, sizeof text, "weft-%016llx-%016llx",
                  static_cast<unsigned long long>(storage::chained_sum(0, 0, key)),
                  static_cast<unsigned long long>(storage::chained_sum(0, 0, body)));
    return text;
}
std::string_view id_in(const net::HttpHeaders& headers) {
    const auto id = find_header(headers, "x-request-id");
    return id.empty() ? find_header(headers, "request-id") : id;
}
/// How long the next request would be refused, by the headers of a reply. Those of all providers are read, because
/// gateways pass on what they have got.
Duration hint_in(const net::HttpHeaders& headers, WallTime now) {
    Duration longest{};
    for (const auto* protocol : protocols())
        for (const auto& limit : protocol->limits) {
            if (!limit.remaining) continue;
            const auto wait = used_up(find_header(headers, limit.remaining), find_header(headers, limit.reset), now);
            if (wait) longest = std::max<Duration>(longest, *wait);
        }
    return std::min(longest, longest_hint);
}
}

HttpModel::HttpModel(HttpModelOptions options)
    : options_(std::move(options)), client_(net::HttpClientOptions{.proxies = options_.proxies}) {
    if (!options_.chance) options_.chance = any_chance;
    if (!options_.limiter) options_.limiter = Limiter::of_process();
    if (!options_.allowance) options_.allowance = RetryAllowance::of_process();
    account_ = options_.limiter->account(options_.base.origin(), options_.key, options_.model);
    if (options_.base.tls) client_.trust();
}

bool HttpModel::streams(const ChatRequest& request) const {
    return options_.stream && (request.tools.empty() || !whole_with_tools_);
}
net::HttpRequest HttpModel::write(const ChatRequest& request, bool stream) const {
    net::HttpRequest http;
    http.method = "POST";
    const auto& protocol = *options_.protocol;
    http.url = options_.base / protocol.path(options_.model, stream);
    http.headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream, application/json, */*"}};
    if (protocol.fixed.name) http.headers.push_back({protocol.fixed.name, protocol.fixed.value});
    if (!options_.key.empty()) http.headers.push_back({protocol.key.name, protocol.key.value + options_.key.reveal()});
    http.body = protocol.request(request, options_.model, stream);
    if (protocol.idempotency_key) http.headers.push_back({"Idempotency-Key", idempotency_key(request.key, http.body)});
    if (is_traceparent(request.traceparent)) {
        http.headers.push_back({"traceparent", request.traceparent});
        if (!request.tracestate.empty() && is_tracestate(request.tracestate))
            http.headers.push_back({"tracestate", request.tracestate});
    }
    http.timeouts = options_.timeouts;
    if (!stream) {  // then the whole reply may have to be written before its first byte comes
        http.timeouts.first_byte = http.timeouts.total;
        http.limits.stream = http.limits.body;
    }
    return http;
}
void HttpModel::throw_answer(const net::HttpStream& stream, std::string page, WallTime now) const {
    if (const auto& forms = options_.key.forms(); page.size() >= error_page && !forms.empty())
        page.resize(page.size() - std::min(page.size(), forms.front().size()));  // it may end in the middle of the key
    const auto& headers = stream.headers();
    Answer answer;
    answer.status = stream.status();
    answer.retry_after_ms = find_header(headers, "retry-after-ms");
    answer.retry_after = find_header(headers, "Retry-After");
    answer.should_retry = find_header(headers, "x-should-retry");
    answer.location = find_header(headers, "Location");
    answer.request_id = id_in(headers);
    answer.body = page;
    throw judge(answer, options_.protocol->hints(), options_.key, now);
}
awaitable<ChatReply> HttpModel::once(HttpCall& call) {
    auto stream = co_await client_.open(call.http());
    if (stream.status() != 200) {
        std::string page;
        try {
            page = co_await stream.read_up_to(error_page);
        } catch (const net::NetError&) {}  // the status says enough
        throw_answer(stream, std::move(page), call.wall());
    }
    call.note_answer(excerpt(options_.key.redact(id_in(stream.headers())), 200),
                     hint_in(stream.headers(), call.wall()));
    if (find_header(stream.headers(), "Content-Type").substr(0, 9) == "text/html")
        throw Fault(Code::model_refused, "answered with a web page; check the base URL");

    auto reader = options_.protocol->reader(call.request(), options_.key);
    while (!reader->done()) {
        const auto bytes = co_await stream.read();
        if (bytes.empty()) break;
        call.note_begin();
        reader->feed(bytes, call.on_delta());
    }
    auto reply = reader->finish(call.on_delta());
    if (!reader->cut()) co_await stream.drain();
    co_return reply;
}
awaitable<ChatReply> HttpModel::chat(const ChatRequest& request, const OnDelta& on_delta) {
    auto& clock = co_await this_clock();
    bool stream = streams(request);
    HttpCall call(options_, *account_, clock, write(request, stream), request, on_delta);
    for (;;) {
        for (bool again = false;; again = true) {
            const auto held = call.delay_for_limit(again);
            if (held == Duration::zero()) break;
            co_await sleep_for(held);
        }
        std::optional<Fault> fault;
        try {
            auto reply = co_await once(call);
            call.finish(reply);
            co_return reply;
        } catch (const Fault& f) { fault = f; } catch (const net::NetError& error) {
            fault = call.fault_of(error);
        }
        if (stream && fault->no_stream && call.ask_whole(write(request, false))) {
            whole_with_tools_ = true;
            stream = false;
            continue;
        }
        const auto wait = call.wait_before_retry_or_throw(std::move(*fault));
        co_await sleep_for(wait);
        auto sure = until_may_begin();
        co_await std::move(sure);
    }
}
}
