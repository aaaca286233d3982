// An error status is thrown as a Fault, and handled in one place. A page that was cut may end with a part of the key,
// so the length of a key is removed from its end.
#include "steps/models/http/http_model.hpp"
#include "engine/net/net_error.hpp"
#include "engine/store.hpp"
#include "engine/text/hex.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "engine/trace_context.hpp"
#include "steps/models/http/address.hpp"
#include "steps/models/http/http_call.hpp"
#include <algorithm>
#include <atomic>
#include <random>

namespace weft::models {
namespace {
using net::find_header;
constexpr std::size_t error_page = 65536;                      // maximum bytes read of an error page
constexpr Duration longest_silence = std::chrono::seconds(5);  // maximum wait after a finish reason
constexpr Duration longest_hint = std::chrono::seconds(10);    // maximum wait for a used-up limit

double any_chance() {
    thread_local std::minstd_rand generator{std::random_device{}()};
    return std::uniform_real_distribution<double>(0, 1)(generator);
}
std::string new_key() {
    static const std::uint64_t process = std::random_device{}() * 0x100000001ull ^ std::random_device{}();
    static std::atomic<std::uint64_t> last{0};
    return "weft-" + hex(process) + '-' + std::to_string(++last);
}
/// Servers refuse a key that came with another body, so the key includes the body's sum. The caller's key is included
/// as a sum, too, because it may have characters that a header may not.
std::string idempotency_key(const std::string& key, std::string_view body) {
    if (key.empty()) return new_key();
    return "weft-" + hex(storage::chained_sum(0, 0, key)) + '-' + hex(storage::chained_sum(0, 0, body));
}
std::string_view id_in(const net::HttpHeaders& headers) {
    const auto id = find_header(headers, "x-request-id");
    return id.empty() ? find_header(headers, "request-id") : id;
}
Headers reader_of(const net::HttpHeaders& headers) {
    return [&headers](std::string_view name) { return find_header(headers, name); };
}
bool tells_limit(const net::HttpHeader& header) {
    constexpr std::string_view word = "limit";  // part of the name of each header that limit_wait() reads
    return std::search(header.name.begin(), header.name.end(), word.begin(), word.end(),
                       [](char c, char l) { return lower(c) == l; }) != header.name.end();
}
/// Returns how long the server would refuse the next request, by the headers of a reply.
Duration hint_in(const net::HttpHeaders& headers, WallTime now) {
    if (std::none_of(headers.begin(), headers.end(), tells_limit)) return Duration::zero();
    const auto wait = limit_wait(reader_of(headers), now, false);
    return std::min<Duration>(wait.value_or(std::chrono::milliseconds(0)), longest_hint);
}
}

HttpModel::HttpModel(HttpModelOptions options)
    : options_(std::move(options)), client_(net::HttpClientOptions{.proxies = options_.proxies}) {
    if (!options_.chance) options_.chance = any_chance;
    if (!options_.limiter) options_.limiter = Limiter::of_process();
    if (!options_.allowance) options_.allowance = RetryAllowance::of_process();
    account_ = options_.limiter->account(options_.base.origin(), options_.key, options_.model);
    account_->learn(usual_features(options_.model));
    if (options_.base.tls) client_.trust();
    const auto& protocol = *options_.protocol;
    net::HttpHeaders headers = {{"Content-Type", "application/json"},
                                {"Accept", "text/event-stream, application/json, */*"}};
    if (protocol.fixed.name) headers.push_back({protocol.fixed.name, protocol.fixed.value});
    const auto key = key_header(protocol, options_.base, options_.key);
    if (!options_.key.empty()) headers.push_back({key.name, key.value + options_.key.reveal()});
    const auto head = [&](bool stream) {
        return net::HttpClient::write_head("POST", options_.base / protocol.path(options_.model, stream), headers);
    };
    whole_ = head(false), streamed_ = head(true);
}

bool HttpModel::streams(const ChatRequest& request, const Features& features) const {
    const int form = features.form(Feature::streamed_tools);
    const bool wanted = options_.stream && form < 2 && (form == 0 || request.tools.empty());
    return wanted || !features.usual(Feature::stream_demanded);
}
net::HttpRequest HttpModel::write(const ChatRequest& request, Features features) const {
    if (!options_.prompt_cache) features.set(Feature::prompt_cache, 1);
    const bool stream = streams(request, features);
    net::HttpRequest http;
    const auto& protocol = *options_.protocol;
    http.head = stream ? streamed_ : whole_;
    http.headers.reserve(3);
    http.body = protocol.request(request, options_.model, stream, features);
    if (protocol.idempotency_key) http.headers.push_back({"Idempotency-Key", idempotency_key(request.key, http.body)});
    if (is_traceparent(request.traceparent)) {
        http.headers.push_back({"traceparent", request.traceparent});
        if (!request.tracestate.empty() && is_tracestate(request.tracestate))
            http.headers.push_back({"tracestate", request.tracestate});
    }
    http.timeouts = options_.timeouts;
    if (!stream) {  // the server may write the whole reply before its first byte
        http.timeouts.first_byte = http.timeouts.total;
        http.limits.stream = http.limits.body;
    }
    return http;
}
void HttpModel::throw_answer(const net::HttpStream& stream, std::string page, WallTime now) const {
    if (const auto& forms = options_.key.forms(); page.size() >= error_page && !forms.empty())
        page.resize(page.size() -
                    std::min(page.size(), forms.front().size()));  // the page may end in the middle of the key
    const auto& headers = stream.headers();
    ResponseHead answer;
    answer.status = stream.status();
    answer.told = told_wait(reader_of(headers), now);
    answer.limit = limit_wait(reader_of(headers), now, true);
    answer.should_retry = find_header(headers, "x-should-retry");
    answer.location = find_header(headers, "Location");
    answer.request_id = id_in(headers);
    answer.body = page;
    const auto& target = options_.base.target;  // the query may hold a key
    const auto address = options_.base.origin() + target.substr(0, target.find('?'));
    answer.address = address;
    throw judge(answer, options_.protocol->hints(), options_.key, now);
}
awaitable<void> HttpModel::once(HttpCall& call, ChatReply& reply) {
    auto stream = co_await client_.open(call.http());
    if (stream.status() != 200) {
        std::string page;
        try {
            page = co_await stream.read_up_to(error_page);
        } catch (const net::NetError&) {}  // the status is enough
        throw_answer(stream, std::move(page), call.wall());
    }
    call.note_answer(excerpt(options_.key.redact(id_in(stream.headers())), 200),
                     hint_in(stream.headers(), call.wall()));
    if (find_header(stream.headers(), "Content-Type").substr(0, 9) == "text/html")
        throw judge_text("<", options_.protocol->hints(), options_.key);

    auto reader = options_.protocol->reader(call.request(), options_.key);
    reader->when_reasoned([&call] { call.note_reasoned(); });
    static const OnDelta nobody;
    const auto& on_delta = options_.stream ? call.on_delta()
                                           : nobody;  // without streaming, the whole text follows at the end
    bool sound = true;
    while (!reader->done()) {
        const bool may_end = reader->may_end();
        std::string_view bytes;
        try {
            auto more = stream.read();
            if (may_end) bytes = co_await with_timeout(longest_silence, std::move(more));
            else bytes = co_await std::move(more);
        } catch (const Error& error) {
            if (!may_end) throw;
            sound = false;  // silence or a lost connection after the finish reason: the reply is complete
        }
        if (bytes.empty()) break;
        call.note_begin();
        reader->feed(bytes, on_delta);
    }
    reply = reader->finish(on_delta);
    if (!options_.stream && call.on_delta() && !reply.text.empty()) call.on_delta()(reply.text);
    if (sound && !reader->cut()) co_await stream.drain();
}
/// Moves the first feature that the refusal may mean, and that the request has, to its next form. False: there is none.
bool HttpModel::adapt(HttpCall& call, const Fault& fault, Features& features) const {
    if (!call.may_adapt(fault)) return false;
    const auto sent = features;
    features.add(account_->features());  // another call may have learnt more meanwhile
    const auto ask = [&](Feature feature) {
        auto http = write(call.request(), features);
        if (http.body == call.http().body && http.head == call.http().head) return false;
        call.adapt(std::move(http), feature_sentence(feature, features));
        return true;
    };
    for (const auto feature : refused_features(fault.refusal)) {
        if (features.form(feature) != sent.form(feature) && ask(feature)) return true;
        const auto before = features;
        while (features.advance(feature))
            if (ask(feature)) return true;
        features = before;
    }
    return false;
}
awaitable<ChatReply> HttpModel::chat(const ChatRequest& request, const OnDelta& on_delta) {
    auto& clock = co_await this_clock();
    auto features = account_->features();
    HttpCall call(options_, *account_, clock, write(request, features), request, on_delta);
    for (;;) {
        for (bool again = false;; again = true) {
            const auto held = call.delay_for_limit(again);
            if (held == Duration::zero()) break;
            co_await sleep_for(held);
        }
        auto entering = call.enter_quota();
        co_await std::move(entering);
        std::optional<Fault> fault;
        try {
            ChatReply reply;
            co_await once(call, reply);
            account_->learn(features);
            call.finish(reply);
            co_return reply;
        } catch (const Fault& f) { fault = f; } catch (const net::NetError& error) {
            fault = call.fault_of(error);
            if (fault->kind == FaultKind::transient) call.leave_quota(std::nullopt);
        }
        if (fault->unreadable) {
            account_->learn(features);
            co_return call.unreadable(*fault);
        }
        if (adapt(call, *fault, features)) continue;
        const auto wait = call.wait_before_retry_or_throw(std::move(*fault));
        co_await sleep_for(wait);
        auto sure = until_may_begin();
        co_await std::move(sure);
    }
}
}
