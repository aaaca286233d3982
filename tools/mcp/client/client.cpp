// The client's public functions, and helpers of all parts: requests in the form of the era, errors as sentences.
#include "tools/mcp/client/client.hpp"
#include "engine/spawn.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/client_core.hpp"
#include <algorithm>

namespace weft::tools::mcp {
using nlohmann::json;

const ToolInfo* ToolList::find(std::string_view name) const {
    const auto at = std::ranges::find(tools, name, &ToolInfo::name);
    return at == tools.end() ? nullptr : &*at;
}

namespace {
/// Some servers explain the error only in `data`.
std::string words_of(const RpcError& error) {
    auto words = quoted(error.message, 500);
    const auto* text = error.data.get_ptr<const json::string_t*>();
    if (error.data.is_null() || (!words.empty() && (!text || error.message.find(*text) != text->npos))) return words;
    const auto more = quoted(text ? *text : error.data.dump(-1, ' ', false, json::error_handler_t::replace), 500);
    return words.empty() || more.empty() ? words + more : words + ": " + more;
}
/// Keeps the core alive during the work, also if a loop is destroyed with waiting coroutines.
template <class T> awaitable<T> keep(std::shared_ptr<ClientCore>, awaitable<T> work) {
    co_return co_await std::move(work);
}
}

Client::Client(std::unique_ptr<Transport> transport, ClientOptions options)
    : core_(std::make_shared<ClientCore>(std::move(transport), std::move(options))) {}
Client::~Client() { core_->abandon(); }
const std::string& Client::server() const { return core_->transport().server(); }
std::optional<ServerEra> Client::era() const { return core_->era(); }
const std::string& Client::instructions() const { return core_->instructions(); }
awaitable<void> Client::connect() { return keep(core_, core_->connect()); }
awaitable<std::shared_ptr<const ToolList>> Client::tools() { return keep(core_, core_->tools()); }
awaitable<CallResult> Client::call(CallToolParams call, CallOptions options) {
    return keep(core_, core_->call(std::move(call), std::move(options)));
}
awaitable<std::variant<CallResult, InputRequest>> Client::call_once(CallToolParams call, CallOptions options) {
    return keep(core_, core_->call_once(std::move(call), std::move(options)));
}
awaitable<void> Client::ping() { return keep(core_, core_->ping()); }
awaitable<void> Client::close() { return keep(core_, core_->close()); }

void ClientCore::invalid_answer(const std::string& what) const {
    throw Error(Code::step_failed, who() + " answered " + what);
}
Request ClientCore::make(std::string_view method, json params, bool may_ask) {
    if (era_ != ServerEra::legacy) {
        auto& meta = params[std::string(meta::key)];
        meta[std::string(meta::version)] = revision::modern;
        meta[std::string(meta::client)] = {{"name", options_.name}, {"version", options_.version}};
        auto capabilities = json::object();
        if (may_ask) capabilities["elicitation"] = json::object();
        meta[std::string(meta::capabilities)] = std::move(capabilities);
    }
    return {++last_id_, std::string(method), std::move(params)};
}
json ClientCore::result_of(Response response, const std::string& what) const {
    if (const auto* error = response.error())
        throw ErrorResponse(*error, who() + " refused " + what + ": " + words_of(*error) + " (code " +
                                        std::to_string(error->code) + ")");
    return std::move(std::get<json>(response.outcome));
}
void ClientCore::lost_again(const TransportError& error) {
    throw TransportError(TransportFailure::session_lost,
                         std::string(error.what()) + "; a new session was begun for it, and was lost in the same way");
}
awaitable<json> ClientCore::ask(std::string method, json params) {
    for (bool again = false;; again = true) {
        co_await connect();
        auto request = make(method, params);
        const auto connection = connections_;
        SendOptions sending;
        auto asking = transport_->request(std::move(request), std::move(sending));
        bool lost = false;
        try {
            auto response = co_await with_timeout(options_.limits.answer, std::move(asking));
            co_return result_of(std::move(response), method);
        } catch (const TransportError& error) {
            if (error.trouble() != TransportFailure::session_lost) throw;
            if (again) lost_again(error);
            lost = true;
        } catch (const ErrorResponse&) { throw; } catch (const Error& error) {
            if (error.code() != Code::timed_out) throw;
        }
        if (!lost)
            throw Error(Code::timed_out,
                        who() + " did not answer " + method + " within " + in_seconds(options_.limits.answer));
        lose(connection);
    }
}
awaitable<void> ClientCore::ping() {
    co_await connect();
    auto asking = ask(std::string(era_ == ServerEra::legacy ? method::ping : method::discover), json::object());
    co_await std::move(asking);
}
awaitable<void> ClientCore::close() {
    closed_ = true;  // set before the wait, so that a waiting connect() does not start the process again
    auto pass = co_await connecting_.enter();
    ready_ = false;
    if (listening_) stop_listening_.emit(asio::cancellation_type::terminal);
    co_await transport_->close();
    rest();
}

void ClientCore::refuse_if_closed() const {
    if (closed_) throw TransportError(TransportFailure::ended, who() + " has been closed");
}
void ClientCore::abandon() {
    closed_ = true;
    if (listening_) stop_listening_.emit(asio::cancellation_type::terminal);
    rest();
}

void ClientCore::send_answer(Response response) {
    constexpr int most_answers = 64;
    if (!runtime_ || answering_ == most_answers) return;  // the server keeps asking, and does not read the answers
    ++answering_;
    // Detached: if it cannot be sent, the server has ended, and its calls get that error.
    auto send = [](std::shared_ptr<ClientCore> self, Response told) -> awaitable<void> {
        co_await self->transport_->answer(std::move(told));
    };
    spawn(*runtime_, send(shared_from_this(), std::move(response)),
          [self = shared_from_this()](std::exception_ptr) { --self->answering_; });
}
void ClientCore::noticed(Notification notification, const Id*) {
    if (notification.method == method::progress) hear_progress(notification.params);
    else if (notification.method == method::tools_changed) ++changes_;
    else if (notification.method == method::cancelled) take_back_question(notification.params);
    else if (notification.method == method::log && options_.noise)
        noise(notification.params.value("data", json()).dump(-1, ' ', false, json::error_handler_t::replace));
}
void ClientCore::asked(Request request, const Id* during) {
    if (request.method == method::ping) return send_answer(success(std::move(request.id), json::object()));
    if (request.method == method::elicit && options_.elicitation && era_ == ServerEra::legacy) {
        if (take_question(request, during)) return;
        return send_answer(success(std::move(request.id), {{"action", "cancel"}}));
    }
    send_answer(failure(std::move(request.id), code::no_method, "this client does not know this method"));
}
void ClientCore::ended(const std::string&) {
    ready_ = false;
    rest();
}
void ClientCore::noise(std::string_view line) {
    if (options_.noise) undisturbed([&] { options_.noise(line); });
}
}
