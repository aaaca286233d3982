// Only one coroutine sends at a time. If it is destroyed with its context, the state is as after a failed batch.
#include "engine/telemetry/exporter.hpp"
#include "engine/asio.hpp"
#include "engine/core/loop/random.hpp"
#include "engine/core/wait/spawned_coroutines.hpp"
#include "engine/net/http_date.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/url.hpp"
#include "engine/retry.hpp"
#include "engine/spawn.hpp"
#include "engine/telemetry/span.hpp"
#include "engine/text/hidden.hpp"
#include "engine/text/mask.hpp"
#include "engine/text/percent_encoding.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include <algorithm>
#include <boost/asio/detached.hpp>
#include <charconv>
#include <deque>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>

namespace weft::telemetry {
namespace {
using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr std::size_t most_bytes = 32 << 20;
constexpr Duration warn_period = seconds(60);
constexpr Wait before_resend = exponential(seconds(1), seconds(16), 2, 0.5);

bool is_retried(unsigned status) { return status == 429 || (status >= 502 && status <= 504); }
/// Reads a number of seconds or a date. nullopt for a past date, because requests would follow without a pause.
std::optional<Duration> retry_after(const net::HttpHeaders& headers, WallTime now) {
    const auto text = net::find_header(headers, "Retry-After");
    unsigned value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    Duration wait = seconds(value);
    if (const auto date = net::read_http_date(text))
        wait = std::min<Duration>(std::chrono::hours(24), std::max(*date, now) - now);
    else if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size()) return {};
    return wait > Duration::zero() ? std::optional(wait) : std::nullopt;
}
/// The response of a collector that accepted a batch, or a part of it.
struct PartialSuccess {
    std::uint64_t rejected = 0;
    std::string why;
};
const nlohmann::json& member(const nlohmann::json& object, const char* name, const char* other_name) {
    static const nlohmann::json nothing;
    if (!object.is_object()) return nothing;
    auto at = object.find(name);
    if (at == object.end()) at = object.find(other_name);  // the form of protocol buffers, which some collectors use
    return at == object.end() ? nothing : *at;
}
PartialSuccess partial_success_in(const std::string& body, std::size_t sent) {
    const auto answer = nlohmann::json::parse(body, nullptr, false);
    const auto& part = member(answer, "partialSuccess", "partial_success");
    const auto &count = member(part, "rejectedSpans", "rejected_spans"),
               &why = member(part, "errorMessage", "error_message");
    PartialSuccess found;
    if (count.is_number_unsigned()) found.rejected = count.get<std::uint64_t>();
    if (const auto* text = count.get_ptr<const std::string*>())
        std::from_chars(text->data(), text->data() + text->size(), found.rejected);
    found.rejected = std::min<std::uint64_t>(found.rejected, sent);
    if (why.is_string()) found.why = why.get_ref<const std::string&>();
    return found;
}
/// Returns the message of a JSON response, else the whole text; empty for a web page.
std::string words_of(const std::string& body) {
    const auto first = body.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first != body.npos && body[first] == '<') return {};
    const auto answer = nlohmann::json::parse(body, nullptr, false);
    const auto& error = member(answer, "error", "error_message");
    for (const auto* text : {&member(answer, "message", "detail"), &error, &member(error, "message", "detail")})
        if (text->is_string()) return text->get_ref<const std::string&>();
    return body;
}
/// Quotes a collector's response in one line without keys, because it may repeat the request.
class QuotedResponse {
public:
    explicit QuotedResponse(const TracerOptions& options) {
        for (const auto& header : options.headers) add(header.value, " \t,;=");
        if (const auto query = options.endpoint.target.find('?'); query != std::string::npos)
            add(std::string_view(options.endpoint.target).substr(query + 1), "&=");
        std::ranges::sort(secrets_, std::ranges::greater(), &std::string::size);
    }
    std::string operator()(const std::string& said) const {
        auto text = said;
        auto visible = without_hidden(said);  // a key may stand in it that characters without width have split
        if (holds_any(visible, secrets_)) text = std::move(visible);
        mask(text, secrets_);
        return excerpt(text, 200);
    }

private:
    void add(std::string_view value, std::string_view between) {
        add_forms(value);
        for (std::size_t at = 0, end = 0; at < value.size(); at = end + 1) {
            end = std::min(value.find_first_of(between, at), value.size());
            add_forms(value.substr(at, end - at));
        }
    }
    /// Adds a key as sent, as a collector decodes it from a query, and as JSON or a URL encodes it.
    void add_forms(std::string_view sent) {
        if (sent.size() < shortest) return;
        std::string spaced(sent);
        std::ranges::replace(spaced, '+', ' ');
        for (const auto& plain :
             {std::string(sent), net::percent_decoded_leniently(sent), net::percent_decoded_leniently(spaced)}) {
            if (plain.size() < shortest) continue;
            auto quoted = nlohmann::json(plain).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
            auto slashed = quoted = quoted.substr(1, quoted.size() - 2);
            for (auto at = slashed.find('/'); at != slashed.npos; at = slashed.find('/', at + 2))
                slashed.insert(at, "\\");
            for (auto& form : {without_hidden(plain), quoted, slashed, percent_encoded(plain)})
                secrets_.push_back(form);
        }
    }
    static constexpr std::size_t shortest = 4;
    std::vector<std::string> secrets_;  // longest first, because a shorter one may be a part of it
};
}

struct Exporter::State : std::enable_shared_from_this<State> {
    /// The runtime for sending, until its context ends.
    struct SendingRuntime final : core::SpawnedCoroutine {
        SendingRuntime(std::shared_ptr<State> s, Runtime r) : state(std::move(s)), runtime(std::move(r)) {}
        void context_goes() override {
            const std::unique_ptr<SendingRuntime> self(this);
            std::lock_guard lock(state->mutex);
            state->home = nullptr;
        }
        std::shared_ptr<State> state;
        const Runtime runtime;
    };
    struct SendMark {  // marks that a coroutine sends
        explicit SendMark(std::shared_ptr<State> s) : state(std::move(s)) {
            std::lock_guard lock(state->mutex);
            is_first = !std::exchange(state->sending, true);
        }
        SendMark(const SendMark&) = delete;
        ~SendMark() {
            std::lock_guard lock(state->mutex);
            if (is_first) state->sending = false;
        }
        std::shared_ptr<State> state;
        bool is_first = false;
    };
    struct SpanBatch {  // counts its spans as dropped unless they were sent
        SpanBatch(std::shared_ptr<State> s, std::size_t n) : state(std::move(s)), size(n) {
            std::lock_guard lock(state->mutex);
            state->under_way += size;
        }
        SpanBatch(const SpanBatch&) = delete;
        ~SpanBatch() {
            std::lock_guard lock(state->mutex);
            state->under_way -= size;
            (sent ? state->counts.sent : state->counts.dropped) += size - rejected;
            state->counts.rejected += rejected;
        }
        std::shared_ptr<State> state;
        const std::size_t size;
        std::uint64_t rejected = 0;
        bool sent = false;
    };
    explicit State(const TracerOptions& o)
        : options(o), client(net::HttpClientOptions{.proxies = o.proxies}), seed(o.seed.value_or(core::draw_seed())) {}
    std::vector<std::string> take() {
        std::lock_guard lock(mutex);
        std::vector<std::string> batch;
        while (!waiting.empty() && batch.size() < options.batch) {
            bytes -= waiting.front().size();
            batch.push_back(std::move(waiting.front()));
            waiting.pop_front();
        }
        return batch;
    }
    bool is_done() const {
        std::lock_guard lock(mutex);
        return waiting.empty() && !sending;
    }
    double chance() { return static_cast<double>(core::mix(seed += 1) >> 11) * 0x1p-53; }
    bool warn(const std::string& sentence, Clock::Time now) {
        if (!options.warn || (warned && now - *warned < warn_period)) return false;
        warned = now;
        options.warn(sentence);
        return true;
    }
    void warn_of(const PartialSuccess& part, std::size_t spans, Clock::Time now) {
        const auto collector = "the collector " + options.endpoint.origin();
        const auto said = part.why.empty() ? std::string() : ": " + QuotedResponse(options)(part.why);
        if (part.rejected)
            warn(collector + " has rejected " + std::to_string(part.rejected) + " of " + std::to_string(spans) +
                     " spans" + said,
                 now);
        else if (!said.empty()) warn(collector + " has taken the spans with a warning" + said, now);
    }
    std::string failure(const std::string& cause, std::uint64_t dropped, std::uint64_t late = 0) const {
        const auto& target = options.endpoint.target;  // the query may hold a key
        const auto counted = [](std::uint64_t spans, const char* what) {
            return spans ? "; " + std::to_string(spans) + (spans == 1 ? " span was " : " spans were ") + what : "";
        };
        return "traces could not be sent to " + options.endpoint.origin() + target.substr(0, target.find('?')) + ": " +
               cause + counted(dropped, "dropped") + counted(late, "not sent in time");
    }
    void failed(const std::string& cause) {
        std::lock_guard lock(mutex);
        why = cause;
    }
    void warn_of_dropped(std::size_t spans, Clock::Time now) {
        const bool is_told = warn(failure(why, spans), now);
        std::lock_guard lock(mutex);
        if (is_told) told += spans;
    }
    /// Called at the stop: warns of all losses without a former warning, at any rate. Spans in transit may still
    /// arrive.
    void warn_of_lost(bool in_time) {
        std::uint64_t lost = 0, late = 0;
        std::string cause;
        {
            std::lock_guard lock(mutex);
            lost = counts.dropped - std::exchange(told, counts.dropped);
            if (!in_time) late = under_way + waiting.size();
            if (lost + late == 0) return;
            cause = !why.empty() ? why : in_time ? "the queue was full" : "it did not answer in time";
        }
        if (options.warn) options.warn(failure(cause, lost, late));
    }

    const TracerOptions options;
    net::HttpClient client;
    mutable std::mutex mutex;
    SendingRuntime* home = nullptr;
    std::deque<std::string> waiting;
    std::size_t bytes = 0;
    bool scheduled = false, hurried = false, sending = false;
    ExportCounts counts;
    std::uint64_t under_way = 0;  // spans in transit
    std::uint64_t told = 0;       // lost spans with a warning
    std::string why;              // the last request's failure; empty: success
    // For the sending coroutine:
    std::uint64_t seed;
    std::optional<Clock::Time> warned;
};

Exporter::Exporter(const TracerOptions& options) : state_(std::make_shared<State>(options)) {
    if (options.enabled && options.endpoint.tls) state_->client.trust();
}
Exporter::~Exporter() {
    std::unique_ptr<State::SendingRuntime> home;  // destroyed without the lock
    std::lock_guard lock(state_->mutex);
    if (!state_->home) return;
    home.reset(std::exchange(state_->home, nullptr));
    auto& context = asio::query(home->runtime.executor, asio::execution::context);
    asio::use_service<core::SpawnedCoroutines>(context).remove(*home);
}
void Exporter::start(const Runtime& runtime) {
    auto home = std::make_unique<State::SendingRuntime>(state_, runtime);
    bool is_waiting = false;
    {
        std::lock_guard lock(state_->mutex);
        if (state_->home) return;
        state_->home = home.get();
        is_waiting = state_->scheduled = !state_->waiting.empty();
    }
    auto& context = asio::query(runtime.executor, asio::execution::context);
    asio::use_service<core::SpawnedCoroutines>(context).add(*home.release());
    if (is_waiting) spawn(runtime, send_later(state_), asio::detached);
}
void Exporter::add(std::string span) noexcept {
    try {
        auto& state = *state_;
        std::lock_guard lock(state.mutex);
        if (state.waiting.size() >= state.options.queue || state.bytes + span.size() > most_bytes) {
            ++state.counts.dropped;
            return;
        }
        state.bytes += span.size();
        state.waiting.push_back(std::move(span));
        if (!state.home) return;
        if (!std::exchange(state.scheduled, true)) spawn(state.home->runtime, send_later(state_), asio::detached);
        const bool is_full = state.waiting.size() >= state.options.batch && !state.sending;
        if (is_full && !std::exchange(state.hurried, true))
            spawn(state.home->runtime, send_all(state_), asio::detached);
    } catch (...) {}  // no memory
}
awaitable<void> Exporter::send_later(std::shared_ptr<State> state) {
    co_await sleep_for(state->options.schedule_delay);
    {
        std::lock_guard lock(state->mutex);
        state->scheduled = false;
    }
    co_await send_all(state);
}
awaitable<void> Exporter::send_all(std::shared_ptr<State> state) {
    const State::SendMark sending(state);
    {
        std::lock_guard lock(state->mutex);
        state->hurried = false;
    }
    if (!sending.is_first) co_return;
    for (;;) {
        auto batch = state->take();
        if (batch.empty()) co_return;
        co_await send(state, std::move(batch));
    }
}
awaitable<void> Exporter::send(std::shared_ptr<State> state, std::vector<std::string> spans) {
    const auto& options = state->options;
    auto& clock = co_await this_clock();
    State::SpanBatch batch(state, spans.size());
    net::HttpRequest request;
    request.method = "POST";
    request.url = options.endpoint;
    request.headers = options.headers;
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = export_request(options.resource, spans);
    request.timeouts.connect = request.timeouts.first_byte = request.timeouts.total = options.request_timeout;
    request.limits.body = 64 << 10;
    const auto deadline = clock.after(options.batch_timeout);
    for (unsigned retry = 1;; ++retry) {
        std::optional<Duration> asked;
        try {
            const auto answer = co_await state->client.send(request);
            batch.sent = answer.status >= 200 && answer.status < 300;
            if (batch.sent) {
                const auto part = partial_success_in(answer.body, spans.size());
                batch.rejected = part.rejected;
                state->failed({});
                state->warn_of(part, spans.size(), clock.now());
                co_return;
            }
            const auto said = QuotedResponse(options)(words_of(answer.body));
            state->failed("it answered with status " + std::to_string(answer.status) +
                          (said.empty() ? "" : ": " + said));
            if (!is_retried(answer.status)) break;
            asked = retry_after(answer.headers, clock.wall());
        } catch (const net::NetError& error) {
            state->failed(error.what());
        } catch (const Error& error) {  // the request cannot be made: a retry does not help
            state->failed(error.what());
            break;
        }
        const auto pause = asked.value_or(before_resend.before_retry(retry, 1 - state->chance()));
        if (clock.now() + pause >= deadline) break;
        co_await sleep_for(pause);
    }
    state->warn_of_dropped(spans.size(), clock.now());
}
awaitable<void> Exporter::wait_until_sent(std::shared_ptr<State> state) {
    while (!state->is_done()) {
        co_await send_all(state);
        if (!state->is_done()) co_await sleep_for(milliseconds(10));  // another coroutine is sending
    }
}
awaitable<bool> Exporter::flush(Duration within) {
    const auto state = state_;
    const auto before = counts().dropped;  // the exporter may be destroyed during the wait
    auto work = wait_until_sent(state);
    try {
        co_await with_timeout(within, std::move(work));
    } catch (const Error& error) {
        if (error.code() != Code::timed_out) throw;
        state->warn_of_lost(false);
        co_return false;
    }
    state->warn_of_lost(true);
    std::lock_guard lock(state->mutex);
    co_return state->counts.dropped == before;
}
ExportCounts Exporter::counts() const {
    std::lock_guard lock(state_->mutex);
    auto counts = state_->counts;
    counts.waiting = state_->waiting.size();
    return counts;
}
}
