// A signal ends the wait for the next piece of a stream. A broken stream does not end its run.
#include "workflows/driver/remote.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/sse.hpp"
#include "engine/text/percent_encoding.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "steps/models/settings.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <fstream>

namespace weft::driver {
namespace {
using namespace std::chrono_literals;
using nlohmann::json;
constexpr int most_breaks = 10;  // consecutive, without an event between them

awaitable<std::shared_ptr<net::HttpStream>> opened(net::HttpClient& client, const net::HttpRequest& request) {
    auto opening = client.open(request);
    auto stream = co_await std::move(opening);
    co_return std::make_shared<net::HttpStream>(std::move(stream));
}
awaitable<std::string> read_copy(net::HttpStream& stream) {
    auto reading = stream.read();
    const auto bytes = co_await std::move(reading);
    co_return std::string(bytes);
}
awaitable<bool> wait_for(Duration time) {
    co_await sleep_for(time);
    co_return true;
}
[[noreturn]] void refuse_as(unsigned status, const std::string& body) {
    const auto told = json::parse(body, nullptr, false);
    const auto said = told.is_object() && told.contains("detail") && told["detail"].is_string()
                          ? told["detail"].get<std::string>()
                          : "it answers " + std::to_string(status);
    const bool wants_token = status == 401 || status == 403;
    throw Error(wants_token ? Code::configuration : Code::usage,
                "the server refuses this: " + excerpt(said, 500) +
                    (status == 401 ? "; give the token by --token-file or WEFT_SERVER_TOKEN" : ""));
}
}

Remote::Remote(const std::string& url, std::string token)
    : url_(url.ends_with('/') ? url.substr(0, url.size() - 1) : url),
      token_(std::move(token)),
      base_(net::parse_url(url_)) {}

/// Waits as Engine::wait does, until cancel_ ends the wait.
template <class T> T Remote::wait(awaitable<T> work) {
    auto told = std::make_shared<std::promise<T>>();
    auto result = told->get_future();
    auto shared = std::make_shared<awaitable<T>>(std::move(work));
    const auto& runtime = engine_.first_runtime();
    asio::post(runtime.executor, [runtime, shared, told, cancel = cancel_] {
        spawn(runtime, std::move(*shared),
              asio::bind_cancellation_slot(cancel->slot(), [told](const std::exception_ptr& error, T value) {
                  if (error) told->set_exception(error);
                  else told->set_value(std::move(value));
              }));
    });
    return result.get();
}
net::HttpRequest Remote::request(std::string method, const std::string& path) const {
    net::HttpRequest request{.method = std::move(method), .url = base_};
    request.url.target = (base_.target == "/" ? "" : base_.target) + path;
    if (!token_.empty()) request.headers.push_back({"Authorization", "Bearer " + token_});
    return request;
}
json Remote::answered(net::HttpRequest request, bool wrong_is_body) {
    for (int tries = 1;; ++tries) {
        auto sending = client_.send(request);
        net::HttpResponse response;
        try {
            response = engine_.wait(std::move(sending));
        } catch (const net::NetError& error) {
            throw Error(Code::configuration, std::string(error.what()) + "; is `weft serve` running there?");
        }
        if (response.status == 429 && tries < most_breaks) {  // the server has started nothing
            auto waiting = wait_for(1s);
            wait(std::move(waiting));
            continue;
        }
        const bool is_good = response.status / 100 == 2 || (wrong_is_body && response.status == 500);
        if (!is_good) refuse_as(response.status, response.body);
        return parse_json(response.body.empty() ? "{}" : response.body);
    }
}
json Remote::get(const std::string& path, bool wrong_is_body) { return answered(request("GET", path), wrong_is_body); }
json Remote::post(const std::string& path, const json& body) {
    auto asked = request("POST", path);
    asked.headers.push_back({"Content-Type", "application/json"});
    asked.body = body.dump();
    return answered(std::move(asked), false);
}
/// Reads events until the stream ends, `goes_on` returns false or a signal comes; then returns false. Throws NetError
/// if the stream breaks.
bool Remote::read_stream(const net::HttpRequest& asked, const std::function<bool(const json&)>& goes_on,
                         const Interrupts& interrupts, std::string& last_id) {
    auto opening = opened(client_, asked);
    const auto stream = wait(std::move(opening));
    if (stream->status() == 204) return false;
    if (stream->status() == 429) throw net::NetError(net::Failure::reset, "the server has too many requests");
    if (stream->status() != 200) {
        auto rest = stream->read_up_to(4096);
        refuse_as(stream->status(), wait(std::move(rest)));
    }
    net::SseParser parser;
    while (!interrupts.seen()) {
        auto reading = read_copy(*stream);
        const auto bytes = wait(std::move(reading));
        if (bytes.empty()) return false;
        parser.feed(bytes);
        while (auto event = parser.next()) {
            if (!event->id.empty()) last_id = event->id;
            const auto envelope = parse_json(event->data);
            if (!goes_on(envelope)) return false;
        }
    }
    return false;
}
/// Calls back on this thread, between two reads: a call may take as long as a human needs.
void Remote::follow(const std::string& handler, Interrupts& interrupts,
                    const std::function<bool(const json&)>& goes_on) {
    const Interrupts::InterruptWatch watch(interrupts, [executor = engine_.first_runtime().executor, cancel = cancel_] {
        asio::post(executor, [cancel] { cancel->emit(asio::cancellation_type::terminal); });
    });
    std::string last_id;
    for (int breaks = 0; !interrupts.seen();) {
        auto asked = request("GET", "/events/" + percent_encoded(handler));
        if (!last_id.empty()) asked.headers.push_back({"Last-Event-ID", last_id});
        asked.timeouts.total = std::chrono::hours(24 * 7);
        asked.timeouts.idle = 60s;
        const auto before = last_id;
        try {
            if (!read_stream(asked, goes_on, interrupts, last_id)) return;
        } catch (const net::NetError& error) {
            breaks = last_id == before ? breaks + 1 : 1;
            if (breaks > most_breaks)
                throw Error(Code::configuration,
                            std::string(error.what()) + "; the run may continue there: " + handler);
            auto waiting = wait_for(breaks * 300ms);
            wait(std::move(waiting));
        } catch (const boost::system::system_error&) {
            if (!interrupts.seen()) throw;
        }
    }
}

std::string server_token(const Choices& choices) {
    const auto& file = choices.remote.token_file;
    if (file.empty()) return models::Settings::of_process().get("WEFT_SERVER_TOKEN").value_or("");
    std::ifstream in(file);
    std::string token;
    if (!in || !std::getline(in, token) || token.empty())
        throw Error(Code::configuration,
                    "cannot read a token from the first line of " + file + ", which --token-file names");
    return std::string(trimmed_end(token));
}
}
