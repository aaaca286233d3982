// The stream of a run's events ends cleanly only after the last event. If the client is too slow or the server stops,
// the server aborts the connection, so that the client returns with the number of its last event.
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "workflows/server/runs/envelope.hpp"
#include "workflows/server/service.hpp"
#include <charconv>

namespace weft::server {
namespace {
constexpr std::chrono::seconds between_heartbeats{25};

/// The number that fills the whole text.
template <class Number> std::optional<Number> number_in(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}
struct StreamOptions {
    bool sse = true, internal = false, qualified = true;
    std::int64_t after = -1;
};
StreamOptions options_in(const RouteCall& call, const EventLog& log) {
    StreamOptions options{.sse = call.flag("sse", true),
                          .internal = call.flag("include_internal", false),
                          .qualified = call.flag("include_qualified_name", true)};
    if (const auto* wait = call.parameter("acquire_timeout"); wait && !number_in<double>(*wait))
        throw Problem(400, "acquire_timeout: expected a number of seconds, got \"" + excerpt(*wait, 60) + '"');
    if (const auto* after = call.parameter("after_sequence")) {
        const auto number = number_in<std::int64_t>(*after);
        if (!number && !equal_ignoring_case(*after, "now"))
            throw Problem(400, "Invalid after_sequence: '" + *after + "'");
        options.after = number ? std::max<std::int64_t>(*number, -1) : log.next() - 1;
    }
    auto last_id = number_in<std::int64_t>(net::find_header(call.request.headers, "Last-Event-ID"));
    if (const auto* given = call.parameter("lastEventId"); given && !last_id) {
        last_id = number_in<std::int64_t>(*given);
        if (!last_id) throw Problem(400, "lastEventId: expected a number, got \"" + excerpt(*given, 60) + '"');
    }
    if (options.sse && last_id) options.after = std::max<std::int64_t>(*last_id, -1);
    // A number beyond the log's end belongs to another run of this name: the client has no event of this run.
    if (options.after >= log.next()) options.after = -1;
    return options;
}
/// Sends events to a client in pieces. While a slow client takes a piece, the writer holds nothing else: it releases
/// the rest of an event and reads it again later.
class EventWriter {
public:
    EventWriter(RouteCall& call, EventReader& reader, const StreamOptions& options)
        : call_(call), reader_(reader), options_(options) {}
    awaitable<void> add(LoggedEvent event) {
        // An internal event has no id, so a client returns with the number of its last public event.
        if (options_.sse && !event.is_internal) ((text_ += "id: ") += std::to_string(event.number)) += '\n';
        if (options_.sse) text_ += "data: ";
        if (text_.size() >= piece) {
            auto writing = write();
            co_await std::move(writing);
        }
        const auto size = event.envelope->size();
        const std::pair<std::size_t, std::size_t> all(size, size);
        const auto left_out = options_.qualified ? all : find_qualified_name(*event.envelope);
        for (std::size_t at = 0; at < size;) {
            const auto end = at < left_out.first ? left_out.first : size;
            const auto part = std::min(end - at, piece - text_.size());
            text_.append(*event.envelope, at, part);
            at = at + part == left_out.first ? left_out.second : at + part;
            if (text_.size() < piece) continue;
            const std::weak_ptr<const std::string> known = event.envelope;
            if (!event.is_internal) event.envelope.reset();
            auto writing = write();
            co_await std::move(writing);
            if (!event.envelope) event.envelope = known.lock();
            if (event.envelope || at >= size) continue;
            auto asking = reader_.again(event.number);
            event.envelope = co_await std::move(asking);
        }
        text_ += options_.sse ? "\n\n" : "\n";
    }
    void add_heartbeat() { text_ += ": heartbeat\n\n"; }
    awaitable<void> write() {
        auto text = std::move(text_);
        text_ = {};
        return call_.exchange.write(std::move(text));
    }
    static constexpr std::size_t piece = 16 << 10;

private:
    RouteCall& call_;
    EventReader& reader_;
    const StreamOptions& options_;
    std::string text_;
};
awaitable<void> get_stream(Service& service, RouteCall& call) {
    const auto run = service.runs->find(call.part(0));
    const auto options = options_in(call, *run->log());
    if (run->log()->ended() && options.after + 1 == run->log()->next()) {
        auto none = reply_text(call, 204, "", "");
        co_return co_await std::move(none);
    }
    if (!run->log()->has_all_after(options.after))
        throw Problem(410, "the events before number " + std::to_string(run->log()->first_kept()) +
                               " are no longer kept: request later ones with after_sequence=" +
                               std::to_string(run->log()->first_kept() - 1));
    if (call.request.method == "HEAD") {
        auto head = reply_text(call, 200, options.sse ? "text/event-stream" : "application/x-ndjson", "");
        co_return co_await std::move(head);
    }
    const ReaderOptions wanted{.after = options.after, .internal = options.internal, .most_bytes = EventWriter::piece};
    const auto reader = std::make_shared<EventReader>(run->log(), wanted);
    // The first read happens before the head, so that a run which another process has pruned still gets a status.
    std::vector<LoggedEvent> events;
    if (reader->reads_store()) try {
            auto reading = reader->next();
            events = co_await std::move(reading);
        } catch (const Error& error) { throw Problem(error.code() == Code::usage ? 404 : 500, error.what()); }
    auto headers = call.headers(options.sse ? "text/event-stream" : "application/x-ndjson");
    headers.push_back({"X-Accel-Buffering", "no"});
    call.status = 200;
    auto beginning = call.exchange.begin(200, std::move(headers));
    co_await std::move(beginning);
    const auto nudge = [weak = std::weak_ptr(reader)] {
        if (const auto self = weak.lock()) self->nudge();
    };
    call.exchange.when_leaving(nudge);
    const auto* runtime = co_await this_runtime();
    const auto heartbeat = runtime->clock->make_alarm(runtime->executor, nudge);
    EventWriter writer(call, *reader, options);
    for (bool ended = false; !ended;) {
        heartbeat->set(runtime->clock->after(between_heartbeats));
        if (events.empty()) {
            auto reading = reader->next();
            events = co_await std::move(reading);
        }
        if (call.exchange.client_has_gone() || call.exchange.stopping()) co_return call.exchange.break_off();
        ended = reader->at_end() || (!events.empty() && events.back().is_last);
        if (events.empty() && !ended && options.sse) writer.add_heartbeat();
        for (auto& event : events) {
            auto adding = writer.add(std::move(event));
            co_await std::move(adding);
        }
        events.clear();
        auto writing = writer.write();
        co_await std::move(writing);
    }
    auto ending = call.exchange.end();
    co_await std::move(ending);
}
/// Readers never wait for each other, so acquire_timeout has no effect. JavaScript's EventSource sends lastEventId,
/// since it cannot set the header.
constexpr std::string_view stream_parameters[] = {
    "sse", "include_internal", "include_qualified_name", "after_sequence", "lastEventId", "acquire_timeout"};
constexpr Route event_table[] = {{"GET", "/events/{}", Access::token, get_stream, stream_parameters}};
}
std::span<const Route> event_routes() { return event_table; }
}
