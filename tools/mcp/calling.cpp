// A call waits in three coroutines: one for the answer, one for the person who is asked a question meanwhile, and the
// caller's own, which watches both and the time. So a question ends with its call, and never the other way round.
#include "engine/spawn.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client_core.hpp"
#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <cmath>

namespace weft::tools::mcp {
using nlohmann::json;
namespace {
constexpr std::size_t most_questions = 16, most_open_questions = 16, longest_state = 1u << 20;

awaitable<void> ring_of(Bell bell) { co_await bell.wait(); }
awaitable<Response> carried(Transport& transport, Request request, Sending sending) {
    auto asking = transport.request(std::move(request), std::move(sending));
    co_return co_await std::move(asking);
}
/// Registered as long as it is waited for; whoever goes before its end stops it.
class Registration {
public:
    Registration(std::map<std::int64_t, std::shared_ptr<OpenCall>>& open, std::int64_t id,
                 std::shared_ptr<OpenCall> call)
        : open_(open), id_(id), call_(std::move(call)) {
        open_.emplace(id_, call_);
    }
    Registration(const Registration&) = delete;
    ~Registration() {
        open_.erase(id_);
        call_->on_progress = nullptr;
        if (!call_->done) call_->stop.emit(asio::cancellation_type::terminal);
        call_->withdraw_question();
    }

private:
    std::map<std::int64_t, std::shared_ptr<OpenCall>>& open_;
    const std::int64_t id_;
    const std::shared_ptr<OpenCall> call_;
};
}

awaitable<Response> ClientCore::converse(Request request, Sending sending, CallOptions options) {
    const auto call = std::make_shared<OpenCall>();
    const auto id = std::get<std::int64_t>(request.id);
    const std::string tool = request.params.value("name", std::string());
    const Runtime& runtime = *co_await this_runtime();
    auto& clock = *runtime.clock;
    call->may_ask = bool(options.elicit);
    call->on_progress = options.progress ? &options.progress : nullptr;
    call->heard = clock.now();
    Registration registration(open_, id, call);
    spawn(runtime, carried(*transport_, std::move(request), std::move(sending)),
          asio::bind_cancellation_slot(call->stop.slot(),
                                       [call, self = shared_from_this()](std::exception_ptr error, Response response) {
                                           call->done = true;
                                           call->error = std::move(error);
                                           call->response = std::move(response);
                                           call->bell.ring();
                                       }));
    const auto quiet = options.quiet.value_or(options_.limits.quiet);
    const auto longest = options.total.value_or(options_.limits.call);
    auto total = clock.after(longest);
    std::optional<Duration> late;             // the limit that the call has gone beyond
    std::optional<Clock::Time> began_to_ask;  // the time that people take does not count
    while (!call->done || call->asking) {
        if (call->done) call->withdraw_question();
        if (began_to_ask && !call->asking) {
            total += std::min<Duration>(clock.now() - *began_to_ask, Clock::Time::max() - total);
            call->heard = clock.now();
            began_to_ask.reset();
            if (call->question_error) std::rethrow_exception(call->question_error);
        }
        if (!call->asking && !call->asked.empty() && !late) {
            began_to_ask = clock.now();
            put_question(call, options.elicit, runtime);
        }
        const auto left = std::min(call->heard + quiet, total) - clock.now();
        if (left <= Duration::zero() && !late && !call->asking) {
            late = total <= call->heard + quiet ? longest : quiet;
            call->stop.emit(asio::cancellation_type::terminal);
        }
        auto ringing = ring_of(call->bell);
        if (late || call->asking) {
            co_await std::move(ringing);
            continue;
        }
        try {
            co_await with_timeout(left, std::move(ringing));
        } catch (const Error& error) {
            if (error.code() != Code::timed_out) throw;
        }
    }
    if (late)
        throw Error(Code::timed_out, "the tool \"" + quoted(tool, 80) + "\" of " + who() + " gave no result within " +
                                         in_seconds(*late));
    if (call->error) std::rethrow_exception(call->error);
    co_return std::move(*call->response);
}

awaitable<std::variant<CallResult, InputRequired>> ClientCore::call_once(ToolCall call, CallOptions options) {
    bool lost = false, relisted = false;
    for (;;) {
        bool again = false;
        auto connecting = connect();
        co_await std::move(connecting);
        json params = json::object();
        params["name"] = call.tool;
        params["arguments"] = call.arguments;
        if (!call.answers.is_null()) params["inputResponses"] = call.answers;
        if (call.state) params["requestState"] = *call.state;
        auto request = make(method::call_tool, std::move(params), bool(options.elicit));
        auto& meta = request.params[std::string(meta::key)];
        if (options.progress) meta[std::string(meta::progress_token)] = std::get<std::int64_t>(request.id);
        if (!options.traceparent.empty()) meta[std::string(meta::trace)] = options.traceparent;
        if (meta.is_null()) request.params.erase(std::string(meta::key));
        Sending sending;
        if (const auto* tool = list_ ? list_->find(call.tool) : nullptr)
            sending.headers = header_params(tool->headers, call.arguments);
        const auto connection = connections_;
        auto talking = converse(std::move(request), std::move(sending), options);
        try {
            auto response = co_await std::move(talking);
            const auto* error = response.error();
            // Only over modern HTTP this code says that the call was not looked at.
            const bool unread = error && error->code == code::header_mismatch && era_ == Era::modern &&
                                transport_->kind() == Transport::Kind::http;
            if (!unread || relisted) {
                auto result = result_of(std::move(response), "the tool \"" + quoted(call.tool, 80) + "\"");
                co_return read_call(std::move(result), call.tool);
            }
        } catch (const TransportError& error) {
            if (error.trouble() != Trouble::session_lost || lost) throw;
            lost = again = true;
            lose(connection);
        }
        if (again) continue;
        relisted = true;  // it wants headers that it did not want before
        ++changes_;
        auto listing = tools();
        co_await std::move(listing);
    }
}
awaitable<CallResult> ClientCore::call(ToolCall call, CallOptions options) {
    for (int round = 0; round < options_.limits.rounds; ++round) {
        auto calling = call_once(call, options);
        auto step = co_await std::move(calling);
        if (auto* result = std::get_if<CallResult>(&step)) co_return std::move(*result);
        auto& required = std::get<InputRequired>(step);
        if (!required.questions.empty() && !options.elicit)
            throw Error(Code::step_failed, who() + " asks for input, and there is nobody to give it: " +
                                               quoted(required.questions.front().second.message, 300));
        call.answers = required.questions.empty() ? json() : json::object();
        for (auto& [key, question] : required.questions) {
            auto asking = ask_form(options.elicit, std::move(question));
            auto answer = co_await std::move(asking);
            call.answers[key] = std::move(answer);
        }
        call.state = std::move(required.state);
    }
    throw Error(Code::step_failed, who() + " asked for input " + std::to_string(options_.limits.rounds) +
                                       " times in one call, and is not asked again");
}
std::variant<CallResult, InputRequired> ClientCore::read_call(json result, const std::string& tool) {
    const auto type = result.value("resultType", json("complete"));
    if (type == "input_required" && era_ == Era::modern) return read_required(result, tool);
    if (type != "complete" && era_ == Era::modern)
        invalid_answer("a call with a kind of result that is not known: " + quoted(type.dump(), 60));
    CallResult read;
    const auto content = result.find("content");
    if (content != result.end() && content->is_array()) read.content = std::move(*content);
    if (const auto structured = result.find("structuredContent"); structured != result.end())
        read.structured = std::move(*structured);
    if (content == result.end() && !read.structured)
        invalid_answer("a call with neither content nor structuredContent");
    read.is_error = result.value("isError", json()) == true;
    const auto* info = list_ && !read.is_error ? list_->find(tool) : nullptr;
    if (const auto* validator = info ? output_validator(*info) : nullptr)
        read.mismatch = read.structured ? validator->mistake(*read.structured)
                                        : "structuredContent: missing, although the tool has a schema for it";
    return read;
}
InputRequired ClientCore::read_required(const json& result, const std::string& tool) const {
    InputRequired required;
    if (const auto state = result.find("requestState"); state != result.end() && state->is_string()) {
        required.state = state->get<std::string>();
        if (required.state->size() > longest_state) invalid_answer("with a requestState of more than 1 MiB");
    }
    const auto asked = result.value("inputRequests", json::object());
    if (!asked.is_object() || asked.size() > most_questions)
        invalid_answer("with requests for input that cannot be read");
    for (const auto& [key, request] : asked.items()) {
        if (!request.is_object() || request.value("method", json()) != method::elicit ||
            !request.value("params", json()).is_object())
            invalid_answer("with a request for input that was not offered");
        try {
            required.questions.emplace_back(key, read_elicit(transport_->server(), request["params"]));
            required.questions.back().second.tool = tool;
        } catch (const BadForm& bad) { invalid_answer("with a request for input that " + std::string(bad.what())); }
    }
    return required;
}

void ClientCore::put_question(const std::shared_ptr<OpenCall>& call, const Elicit& elicit, const Runtime& runtime) {
    auto question = std::move(call->asked.front());
    call->asked.pop_front();
    call->asking = question.id;
    call->withdrawn = call->answered = false;
    spawn(runtime, answer_question(std::move(question), elicit, call),
          asio::bind_cancellation_slot(call->withdraw.slot(),
                                       [call, self = shared_from_this()](std::exception_ptr error) {
                                           if (!call->withdrawn) call->question_error = std::move(error);
                                           call->asking.reset();
                                           call->bell.ring();
                                       }));
}
awaitable<void> ClientCore::answer_question(Request request, Elicit elicit, std::shared_ptr<OpenCall> call) {
    ElicitRequest question;
    std::string bad;
    try {
        question = read_elicit(transport_->server(), request.params);
    } catch (const BadForm& why) { bad = why.what(); }
    Response response;
    if (bad.empty()) {
        auto asking = ask_form(elicit, std::move(question));
        auto answer = co_await std::move(asking);
        response = success(std::move(request.id), std::move(answer));
    } else {
        response = failure(std::move(request.id), code::bad_params, "the question " + bad);
    }
    call->answered = true;
    auto telling = transport_->answer(std::move(response));
    try {
        co_await with_timeout(options_.limits.answer, std::move(telling));
    } catch (const Error&) {}  // what becomes of the call, its own answer says: it is not to be made again for this
}
std::shared_ptr<OpenCall> ClientCore::call_of(const Id* during) const {
    // A form must not be shown to somebody whose call has not asked for it: nothing is guessed among several calls.
    auto at = open_.end();
    if (const auto* id = during ? std::get_if<std::int64_t>(during) : nullptr) at = open_.find(*id);
    else if (!during && open_.size() == 1) at = open_.begin();
    if (at == open_.end() || !at->second->may_ask || at->second->asked.size() >= most_open_questions) return nullptr;
    return at->second;
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
    const auto token = params.value("progressToken", json());
    const auto value = params.value("progress", json());
    if (!token.is_number_integer() || !value.is_number()) return;
    const auto at = open_.find(token.get<std::int64_t>());
    if (at == open_.end() || at->second->done || !runtime_) return;
    auto& call = *at->second;
    if (!(value.get<double>() > call.progress)) return;  // it has to rise
    call.progress = value.get<double>();
    call.heard = runtime_->clock->now();
    if (!call.on_progress) return;
    Progress progress{.progress = call.progress};
    if (const auto total = params.find("total"); total != params.end() && total->is_number())
        progress.total = total->get<double>();
    if (const auto text = params.find("message"); text != params.end() && text->is_string())
        progress.message = quoted(text->get_ref<const json::string_t&>(), 1000);
    undisturbed([&] { (*call.on_progress)(progress); });
}
}
