// The order of the questions is the rule: no credit comes before a wrong key, and a filter or a prompt that is too long
// before the plain meaning of the status, because many servers send all of these with 400 or 429.
#include "steps/models/protocols/fault.hpp"
#include "engine/net/net_error.hpp"
#include "steps/models/protocols/error_body.hpp"
#include "steps/models/secret.hpp"
#include <algorithm>

namespace weft::models {
namespace {
Fault permanent(const std::string& what) { return {Code::model_refused, what}; }

Fault judge_kind(unsigned status, const ErrorBody& said, const Hints& hints) {
    const std::string number = status ? " (" + std::to_string(status) + ")" : std::string();
    const std::string quoted = number + (said.text.empty() ? std::string() : ": " + said.text);
    if (status == 402 || (status >= 400 && status < 500 && is_out_of_money(said)))
        return permanent("refused because the account has no credit left" + quoted +
                         "; add credit or take another model");
    if (status == 401)  // what it says may repeat a part of the key
        return permanent("refused the key" + number + "; set " + hints.key_variable +
                         ", in the environment or in .env, to a valid one");
    if (is_filtered(said))
        return {Code::model_refused, "will not reply to this" + quoted + "; ask it something else", 0,
                FaultKind::refused};
    if (lacks_streamed_tools(said)) {
        auto fault = permanent("cannot call tools in a stream" + quoted + "; ask for whole replies: --no-stream");
        fault.no_stream = true;
        return fault;
    }
    if (status != 403 && status != 429 && lacks_tools(said)) {
        auto fault = permanent("cannot call tools" + quoted + "; take a model or a server that can");
        fault.no_tools = true;
        return fault;
    }
    if (status == 403)
        return permanent("does not allow this" + quoted + "; check what the key in " + hints.key_variable + " may do");
    if (status == 404) return permanent("was not found" + quoted + "; " + hints.missing_model);
    if (status == 413 || is_too_long(said)) {
        auto fault = permanent("cannot read so long a conversation" + quoted +
                               "; shorten it or take a model with a longer context");
        fault.too_long = true;
        return fault;
    }
    if (status == 429 && is_daily(said))
        return permanent("has no quota left for today" + quoted +
                         "; wait for the next day, or take another model or plan");
    if (status == 429)
        return {Code::model_refused, "limits how often it is asked" + quoted, Fault::any, FaultKind::throttled};
    if (status == 0 || status == 408 || status == 409 || status >= 500) {
        const auto what = status || !said.text.empty() ? "failed" + quoted : "failed: it did not say why";
        Fault fault{Code::model_failed, what, Fault::any, FaultKind::transient};
        fault.overloaded = status == 529 || said.has("overloaded");
        return fault;
    }
    return permanent("did not accept the request" + quoted + "; check the model's name, the base URL and the options");
}
Fault judge_said(unsigned status, const ErrorBody& said, const Hints& hints) {
    Fault fault = judge_kind(status, said, hints);
    fault.provider_code = said.code;
    fault.request_id = said.request_id;
    fault.floor = said.wait;
    return fault;
}
/// The server's own word on whether to try again, which does not bring credit back.
void heed(std::string_view should_retry, Fault& fault, const ErrorBody& said) {
    if (should_retry == "false") fault.retries = 0;
    if (should_retry != "true" || is_out_of_money(said) || is_daily(said)) return;
    fault.retries = Fault::any;
    if (fault.kind == FaultKind::permanent) fault.kind = FaultKind::transient;
}
}

Fault judge(const Answer& answer, const Hints& hints, const Secret& key, WallTime now) {
    const auto number = std::to_string(answer.status);
    if (answer.status / 100 == 3)
        return permanent("redirects to another address (" + number + ") " + quote(answer.location, key, 200) +
                         "; give that as the base URL");
    if (answer.status / 100 == 2 || answer.status / 100 == 1)
        return {Code::model_failed, "answered with the status " + number + ", which is no reply; check the base URL"};
    auto said = read_error_body(answer.body, key);
    if (const auto asked = asked_wait(answer.retry_after_ms, answer.retry_after, now))
        said.wait = std::max(*asked, said.wait.value_or(*asked));
    Fault fault = judge_said(said.has("api_key_invalid") ? 401 : answer.status, said, hints);
    heed(answer.should_retry, fault, said);
    if (!answer.request_id.empty()) fault.request_id = quote(answer.request_id, key, 200);
    return fault;
}
Fault judge(const net::NetError& error, const Hints& hints, bool begun) {
    using net::Failure;
    using net::Phase;
    const std::string sentence = error.what();
    const auto kind = begun ? FaultKind::truncated : FaultKind::unknown_outcome;
    const auto code = begun ? Code::model_failed : error.code();
    switch (error.failure()) {
    case Failure::proxy_refused:
    case Failure::tls_refused: return {error.code(), "cannot be reached: " + sentence};
    case Failure::name_lookup: {
        Fault fault{error.code(), "cannot be reached: " + sentence, 1, FaultKind::transient};
        fault.unresolved = true;
        return fault;
    }
    case Failure::connect:
    case Failure::name_service:
    case Failure::tls_failed: {
        Fault fault{error.code(), "cannot be reached: " + sentence + "; " + hints.unreachable, Fault::any,
                    FaultKind::transient};
        fault.unresolved = error.failure() == Failure::name_service;
        return fault;
    }
    case Failure::timed_out:
        return {error.code(), "took too long: " + sentence, error.phase() == Phase::total ? 0 : Fault::any,
                error.phase() == Phase::connect ? FaultKind::transient : kind};
    case Failure::too_large: return {error.code(), "sent too much: " + sentence};
    case Failure::reset:
    case Failure::truncated:
    case Failure::protocol: break;
    }
    return {code, "sent no usable reply: " + sentence, Fault::any, kind};
}
Fault judge_error_object(const nlohmann::json& error, const Hints& hints, const Secret& key) {
    const auto said = read_error_object(error, key);
    return judge_said(status_of(said), said, hints);
}
Fault broken(const std::string& what) { return {Code::model_failed, what, 1, FaultKind::truncated}; }
}
