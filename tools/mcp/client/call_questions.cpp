// A call waits for its response in the coroutine of its caller. Another coroutine waits for the person's answer to a
// question, so that the question ends with its call, and the call does not end with the question. One alarm serves all
// calls.
#include "engine/spawn.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/client_core.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>

namespace weft::tools::mcp {
using nlohmann::json;
namespace {
constexpr std::size_t most_open_questions = 16;
}

/// Registers a call while its caller waits; a caller that leaves early withdraws its question, too.
class ClientCore::Registration {
public:
    Registration(ClientCore& core, std::int64_t id, std::shared_ptr<OpenCall> call)
        : core_(core), call_(std::move(call)), at_(core.open_.emplace(id, call_).first) {}
    Registration(const Registration&) = delete;
    ~Registration() {
        core_.open_.erase(at_);
        call_->done = true;
        call_->options = nullptr;
        call_->withdraw_question();
        core_.rest();
    }

private:
    ClientCore& core_;
    const std::shared_ptr<OpenCall> call_;
    const std::map<std::int64_t, std::shared_ptr<OpenCall>>::iterator at_;
};

awaitable<Response> ClientCore::converse(Request request, SendOptions sending, const std::string& tool,
                                         const CallOptions& options) {
    runtime_ = *co_await this_runtime();
    const auto call = std::make_shared<OpenCall>(options, options.quiet.value_or(options_.limits.quiet),
                                                 options.total.value_or(options_.limits.call), runtime_->clock->now());
    const Registration registration(*this, std::get<std::int64_t>(request.id), call);
    watch(call->limit());
    auto asking = transport_->request(std::move(request), std::move(sending));
    auto answering = core::until_withdrawn(call->request, std::move(asking));
    Response response;
    std::exception_ptr error;
    try {
        response = co_await std::move(answering);
    } catch (...) { error = std::current_exception(); }
    call->done = true;
    if (call->late)
        throw Error(Code::timed_out, "the tool \"" + quoted(tool, 80) + "\" of " + who() + " gave no result within " +
                                         in_seconds(*call->late));
    if (call->question_error) std::rethrow_exception(call->question_error);
    if (core::is_aborted(error)) std::rethrow_exception(error);  // the caller is cancelled
    call->withdraw_question();
    if (call->asking) call->question_ended.emplace();
    while (call->asking) co_await call->question_ended->wait();
    if (error) std::rethrow_exception(error);
    co_return response;
}

// ----- time

/// Sets the alarm to `limit` or earlier; it may ring several times. A call that ends in time costs no timer, because
/// the alarm stays set for later calls.
void ClientCore::watch(Clock::Time limit) {
    if (limit == Clock::Time::max() || (alarm_ && alarm_at_ <= limit)) return;
    if (!alarm_)
        alarm_ = runtime_->clock->make_alarm(
            runtime_->executor, [this] { look_at_limits(); }, [this] { alarm_.reset(); });
    alarm_at_ = limit;
    alarm_->set(limit);
}
void ClientCore::look_at_limits() {
    alarm_.reset();
    const auto now = runtime_->clock->now();
    auto next = Clock::Time::max();
    std::vector<std::shared_ptr<OpenCall>> late;
    for (const auto& [id, call] : open_) {
        if (call->done || call->late || call->asking) continue;  // the time for people's answers does not count
        if (call->limit() > now) next = std::min(next, call->limit());
        else late.push_back(call);
    }
    watch(next);
    for (const auto& call : late) {
        call->late = call->end <= now ? call->longest : call->quiet;
        call->request.cancel();
    }
}
/// Drops the alarm after the last call, so that a loop with nothing else ends. A client that hears its server keeps the
/// loop at work anyway.
void ClientCore::rest() {
    if (open_.empty() && (closed_ || !transport_->hears())) alarm_.reset();
}

// ----- questions

void ClientCore::put_next_question(const std::shared_ptr<OpenCall>& call) {
    if (call->done || call->late || call->question_error || call->asking || call->asked.empty()) return;
    auto question = std::move(call->asked.front());
    call->asked.pop_front();
    call->asking = question.id;
    call->began_to_ask = runtime_->clock->now();
    call->withdrawn = call->answered = false;
    spawn(*runtime_, answer_question(std::move(question), call->options->elicit, call),
          asio::bind_cancellation_slot(call->withdraw.slot(),
                                       [call, self = shared_from_this()](std::exception_ptr error) {
                                           self->question_ended(call, std::move(error));
                                       }));
}
void ClientCore::question_ended(const std::shared_ptr<OpenCall>& call, std::exception_ptr error) {
    call->asking.reset();
    if (call->done) {
        if (call->question_ended) call->question_ended->ring();
        return;
    }
    call->heard = runtime_->clock->now();
    call->end = OpenCall::later(call->end, call->heard - call->began_to_ask);
    if (error && !call->withdrawn) {
        call->question_error = std::move(error);
        return call->request.cancel();
    }
    put_next_question(call);
    if (!call->asking) watch(call->limit());
}
awaitable<void> ClientCore::answer_question(Request request, Elicit elicit, std::shared_ptr<OpenCall> call) {
    ElicitRequest question;
    std::string bad;
    try {
        question = read_elicit(transport_->server(), request.params);
    } catch (const BadForm& why) { bad = why.what(); }
    Response response;
    if (bad.empty()) {
        auto answer = co_await ask_form(elicit, std::move(question));
        response = success(std::move(request.id), std::move(answer));
    } else {
        response = failure(std::move(request.id), code::bad_params, "the question " + bad);
    }
    call->answered = true;
    auto telling = transport_->answer(std::move(response));
    try {
        co_await with_timeout(options_.limits.answer, std::move(telling));
    } catch (const Error&) {}  // the call's own response reports the failure: do not repeat the call
}
std::shared_ptr<OpenCall> ClientCore::call_of(const Id* during) const {
    // Show a form only to the person whose call has asked: with several calls there is no guess.
    auto at = open_.end();
    if (const auto* id = during ? std::get_if<std::int64_t>(during) : nullptr) at = open_.find(*id);
    else if (!during && open_.size() == 1) at = open_.begin();
    return at == open_.end() || at->second->done ? nullptr : at->second;
}
/// Returns whether a person gets the question.
bool ClientCore::take_question(Request& request, const Id* during) {
    const auto call = call_of(during);
    if (!call) return false;
    const auto& options = *call->options;
    if (!options.elicit && options.unasked) {
        const auto message = request.params.value("message", json());
        undisturbed([&] { options.unasked(message.is_string() ? message.get<std::string>() : std::string()); });
    }
    if (!options.elicit || call->asked.size() >= most_open_questions) return false;
    call->asked.push_back(std::move(request));
    put_next_question(call);
    return true;
}
void ClientCore::take_back_question(const json& params) {
    const auto id = params.value("requestId", json());
    const auto is_it = [&](const Id& other) {
        return std::visit([&](const auto& value) { return id == json(value); }, other);
    };
    for (const auto& [number, call] : open_) {
        std::erase_if(call->asked, [&](const Request& question) { return is_it(question.id); });
        if (call->asking && is_it(*call->asking)) call->withdraw_question();
    }
}
void ClientCore::hear_progress(const json& params) {
    auto token = params.value("progressToken", json());
    if (token.is_string())
        if (const auto id = as_number(token.get<std::string>()); std::holds_alternative<std::int64_t>(id))
            token = std::get<std::int64_t>(id);
    const auto value = params.value("progress", json());
    if (!token.is_number_integer() || !value.is_number()) return;
    const auto at = open_.find(token.get<std::int64_t>());
    if (at == open_.end() || at->second->done || !runtime_) return;
    auto& call = *at->second;
    if (!(value.get<double>() > call.progress)) return;  // progress must increase
    call.progress = value.get<double>();
    call.heard = runtime_->clock->now();
    if (!call.options->progress) return;
    CallProgress progress{.progress = call.progress};
    if (const auto total = params.find("total"); total != params.end() && total->is_number())
        progress.total = total->get<double>();
    if (const auto text = params.find("message"); text != params.end() && text->is_string())
        progress.message = quoted(text->get_ref<const json::string_t&>(), 1000);
    undisturbed([&] { call.options->progress(progress); });
}
}
