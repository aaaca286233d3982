// Output of a server may not be a message, or belong to no request. Two places show the end of a server, its output and
// its process: its child may keep the output open, and the server may close the output and continue.
#include "tools/mcp/client/stdio_session.hpp"
#include "engine/spawn.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/stderr_tail.hpp"
#include "tools/mcp/protocol/answer_id.hpp"
#include <boost/asio/detached.hpp>

namespace weft::tools::mcp {
namespace {
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr Duration time_for_the_rest = std::chrono::seconds(1);  // for the last output of a process
constexpr std::size_t most_shown = 400;

awaitable<void> hear(Signal signal) { co_await signal.wait(); }
}

void StdioSession::begin() {
    auto options = settings_.program;
    options.longest_line = settings_.limits.bytes;
    options.on_error_line = [weak = weak_from_this()](std::string_view line) {
        if (const auto self = weak.lock()) self->noise(line);
    };
    try {
        process_.emplace(runtime_, std::move(options));
    } catch (const Error& error) {
        std::string why = error.what();  // contains the program or folder, which may have a variable's value
        stderr_redactor_.clean(why);
        throw TransportError(TransportFailure::unreachable, who() + ": " + why);
    }
    spawn(runtime_, read(shared_from_this()), asio::detached);
    spawn(runtime_, watch_process(shared_from_this()), asio::detached);
}
awaitable<void> StdioSession::read(Self self) {
    while (self->is_open()) {
        const auto line = co_await self->process_->read_line();
        if (!line || !self->is_open()) break;
        self->take(*line);
    }
    if (!self->is_open()) co_return;
    self->process_->close_input();  // its output can no longer be read
    auto ending = self->process_->ended();
    try {
        co_await with_timeout(time_for_the_rest, std::move(ending));
    } catch (const Error&) {}  // the process runs, but has closed its output
    self->finish();
}
awaitable<void> StdioSession::watch_process(Self self) {
    if (!self->is_open()) co_return;  // closed before this coroutine began
    co_await self->process_->ended();
    const auto finished = co_await ends_within(self, time_for_the_rest);
    if (!finished) self->finish();
}
awaitable<bool> StdioSession::ends_within(Self self, Duration most) {
    if (self->ended_) co_return true;
    auto end = hear(self->at_end_.emplace_back());
    try {
        co_await with_timeout(most, std::move(end));
    } catch (const Error& error) {
        if (error.code() != Code::timed_out) throw;
    }
    co_return self->ended_;
}

void StdioSession::take(const process::SplitLine& line) {
    if (line.left_out == 0) return take_line(line.text);
    take_unreadable(line.begin, line.end,
                    "an answer of " + std::to_string(line.left_out) + " bytes, and at most " +
                        std::to_string(settings_.limits.bytes) + " are read");
}
void StdioSession::take_line(std::string_view line) {
    if (line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
    if (is_blank(line)) return;
    if (!trimmed_front(line).starts_with('{')) return no_message(line);
    auto read = read_message(line, settings_.limits);
    if (const auto* malformed = std::get_if<Malformed>(&read))
        return take_unreadable(line, line, "an answer that is not a message: " + excerpt(malformed->why, most_shown));
    auto& message = std::get<RpcMessage>(read);
    redactor_.clean(message);
    if (auto* response = std::get_if<Response>(&message)) return take_response(std::move(*response), line);
    if (!listener_) return;
    if (auto* notification = std::get_if<Notification>(&message)) listener_->noticed(std::move(*notification), nullptr);
    else listener_->asked(std::move(std::get<Request>(message)), nullptr);
}
void StdioSession::take_response(Response response, std::string_view line) {
    auto at = response.id ? waiting_.find(*response.id) : waiting_.end();
    if (response.id && at == waiting_.end()) at = waiting_.find(as_number(*response.id));
    if (!response.id && response.error() && waiting_.size() == 1) at = waiting_.begin();  // the only possible request
    if (at == waiting_.end()) {
        if (!is_late(response.id)) odd_id_ = response.id ? text_of(*response.id) : "null";
        return noise(line);
    }
    const auto waiting = std::move(at->second);
    waiting_.erase(at);
    has_answered_ = true;
    waiting->response = std::move(response);
    waiting->signal.ring_here();  // last, because the woken coroutine may close the session
}
bool StdioSession::is_late(const std::optional<Id>& id) const {
    const auto number = id ? as_number(*id) : Id();
    const auto* asked = std::get_if<std::int64_t>(&number);
    return id && asked && *asked <= last_asked_;
}
void StdioSession::take_unreadable(std::string_view begin, std::string_view end, const std::string& what) {
    begin = begin.substr(0, process::SplitLine::of_left_out);
    end = end.substr(end.size() - std::min(end.size(), process::SplitLine::of_left_out));
    const auto id = id_of_answer(begin, end);
    const auto at = id ? waiting_.find(*id) : waiting_.end();
    if (at == waiting_.end()) return no_message(begin);
    auto shown = what;
    redactor_.clean(shown);
    at->second->fail(TransportError(TransportFailure::unusable, who() + " sent " + shown));
    waiting_.erase(at);
}
void StdioSession::no_message(std::string_view line) {
    if (odd_line_.empty()) {
        odd_line_ = line;
        stderr_redactor_.clean(odd_line_);
        odd_line_.resize(std::min(odd_line_.size(), most_shown));
    }
    noise(line);
}
void StdioSession::noise(std::string_view line) {
    if (!listener_) return;
    std::string shown(line);
    redactor_.clean(shown);
    listener_->noise(shown);
}

awaitable<Response> StdioSession::request(Request request, bool quiet) {
    if (waiting_.contains(request.id))
        throw Error(Code::usage, "a request with the id " + text_of(request.id) + " waits already: give it its own");
    struct Place {
        StdioSession& session;
        Id id;
        bool quiet;
        std::shared_ptr<PendingResponse> waiting = std::make_shared<PendingResponse>();
        ~Place() { session.give_up(id, waiting, quiet); }
    };
    const Place place{*this, request.id, quiet};
    waiting_.emplace(request.id, place.waiting);
    if (const auto* number = std::get_if<std::int64_t>(&request.id)) last_asked_ = std::max(last_asked_, *number);
    auto line = mcp::write(std::move(request)) + "\n";
    co_await write(std::move(line));
    while (!place.waiting->response && !place.waiting->error) co_await place.waiting->signal.wait();
    if (place.waiting->error) throw *place.waiting->error;
    co_return std::move(*place.waiting->response);
}
void StdioSession::give_up(const Id& id, const std::shared_ptr<PendingResponse>& waiting, bool quiet) {
    const auto at = waiting_.find(id);
    if (at == waiting_.end() || at->second != waiting) return;
    waiting_.erase(at);
    if (quiet || !is_open()) return;
    Notification cancelled{std::string(method::cancelled), {{"reason", "the caller no longer waits for the answer"}}};
    std::visit([&](const auto& it) { cancelled.params["requestId"] = it; }, id);
    process_->send(mcp::write(std::move(cancelled)) + "\n");
}
awaitable<void> StdioSession::write(std::string line) {
    const auto self = shared_from_this();
    try {
        co_await process_->write(std::move(line));
        co_return;
    } catch (const Error&) {}  // the process is ending, or reads no more
    const auto ended = co_await ends_within(self, time_for_the_rest);
    if (!ended) finish();
    throw TransportError(TransportFailure::ended, end_sentence_);
}

awaitable<void> StdioSession::close() {
    const auto self = shared_from_this();
    if (!is_open() && !process_) co_return;
    listener_ = nullptr;
    closed_ = !ended_ || closed_;
    ended_ = true;
    end_ = runtime_.clock->now();
    fail_all(who() + " was closed");
    co_await process_->stop();
    process_.reset();
}
void StdioSession::abandon() {
    listener_ = nullptr;
    closed_ = ended_ = true;
    fail_all(who() + " is no longer used");
    process_.reset();
}
void StdioSession::finish() {
    if (ended_) return;
    ended_ = true;
    end_ = runtime_.clock->now();
    fail_all(how_it_ended());
    process_.reset();
    if (auto* listener = std::exchange(listener_, nullptr)) listener->ended(end_sentence_);
}
void StdioSession::fail_all(const std::string& sentence) {
    if (end_sentence_.empty()) end_sentence_ = sentence;
    const TransportError error(TransportFailure::ended, end_sentence_);
    for (const auto& [id, waiting] : std::exchange(waiting_, {})) waiting->fail(error);
    for (const auto& signal : std::exchange(at_end_, {})) signal.ring();
}
std::string StdioSession::how_it_ended() const {
    const auto status = process_->status();
    auto said = process_->last_errors();
    stderr_redactor_.clean(said);
    const auto errors = excerpt(stderr_tail(said, most_shown), most_shown);
    const auto printed = errors.empty() && !has_answered_ ? excerpt(odd_line_, most_shown) : std::string();
    return who() + " has ended: it " + (status.known ? status.sentence() : "has closed its pipes") +
           (errors.empty() ? "" : "; its standard error says: \"" + errors + "\"") +
           (printed.empty() ? "" : "; its standard output says: \"" + printed + "\", which is not a message");
}
std::vector<std::string> StdioSession::all_secrets(const StdioSettings& settings) {
    const auto known = process::basic_environment();
    auto secrets = settings.secrets;
    for (const auto& [name, value] : settings.program.environment)
        if (!known.contains(name)) secrets.push_back(value);
    return secrets;
}
}
