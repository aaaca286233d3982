// The order of the questions is the rule: missing credit comes before a wrong key, and a filter or too long a prompt
// before the plain meaning of the status, because many servers send all of these with 400 or 429.
#include "steps/models/protocols/wire/fault.hpp"
#include "engine/net/net_error.hpp"
#include "engine/text/text.hpp"
#include "steps/models/protocols/wire/error_meaning.hpp"
#include "steps/models/secret.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::models {
namespace {
Fault permanent(const std::string& what) { return {Code::model_refused, what}; }
/// Prepares a text for a continuation. Three dots stay.
std::string_view without_full_stop(std::string_view text) {
    text = trimmed(text);
    return text.ends_with('.') && !text.ends_with("..") ? text.substr(0, text.size() - 1) : text;
}

/// Parts of the request that a sentence about its refusal names.
struct RequestInfo {
    bool has_key = true;
    std::string_view address = {};  // empty: unknown
};
std::string key_sentence(const std::string& number, const ProviderHints& hints, const RequestInfo& asked) {
    const std::string where = asked.address.empty() ? "" : " for " + std::string(asked.address);
    if (!asked.has_key)
        return "needs a key" + number + ", and none was sent; set " + hints.key_variable +
               ", in the environment or in .env, to one" + where;
    return "refused the key" + number + "; set " + hints.key_variable +
           ", in the environment or in .env, to a valid one" + where;
}
Fault judge_kind(unsigned status, const ErrorBody& said, const ProviderHints& hints, const RequestInfo& asked) {
    const std::string number = status ? " (" + std::to_string(status) + ")" : std::string();
    const std::string quoted = number + (said.text.empty() ? "" : ": " + std::string(without_full_stop(said.text)));
    const std::string at = asked.address.empty() ? "" : " at " + std::string(asked.address);
    if (is_unreadable(said))
        return unreadable(
            said.written.empty() ? said.text : std::string(without_full_stop(said.text)) + ". It was: " + said.written);
    if (status == 402 || (status >= 400 && status < 500 && is_out_of_money(said)))
        return permanent("refused because the account has no credit left" + quoted +
                         "; add credit or take another model");
    if (status == 401)  // the server's text may repeat the key
        return permanent(key_sentence(number, hints, asked) + (said.says("endpoint") ? ", or check the base URL" : ""));
    if (status == 407)
        return permanent("is behind a proxy that needs a user and a password" + number +
                         "; write them into the environment variable that names the proxy, HTTPS_PROXY or HTTP_PROXY, "
                         "as http://user:password@host:port");
    if (is_filtered(said))
        return {Code::model_refused, "will not reply to this" + quoted + "; ask it something else", 0,
                FaultKind::refused};
    if (status != 403 && status != 429 && lacks_tools(said)) {
        auto fault = permanent("cannot call tools" + quoted + "; take a model or a server that can");
        fault.no_tools = true;
        return fault;
    }
    if (status == 403)
        return permanent("does not allow this" + quoted + "; check what the key in " + hints.key_variable + " may do");
    if (status == 404)
        return permanent("was not found" + (is_model_missing(said) ? "" : at) + quoted + "; " +
                         (is_model_missing(said) ? hints.missing_model : hints.wrong_address));
    if (is_too_long(said) || (status == 413 && !is_reply_too_long(said)))
        return too_long("cannot read so long a conversation" + quoted +
                        "; shorten it, offer fewer tools, or take a model or a server with a longer context");
    if (is_reply_too_long(said) && status != 429)
        return permanent("cannot write as long a reply as max_tokens allows it" + quoted + "; allow a shorter one");
    if (status == 429 && is_daily(said))
        return permanent("has no quota left for today" + quoted +
                         "; wait for the next day, or take another model or plan");
    if (status == 429)
        return {Code::model_refused, "limits how often it is asked" + quoted, Fault::any, FaultKind::throttled};
    if (status == 405) return permanent("did not accept the request" + quoted + "; " + hints.wrong_address);
    if (status == 0 || status == 408 || status == 409 || status >= 500) {
        const auto what = status || !said.text.empty() ? "failed" + quoted : "failed without a reason";
        Fault fault{Code::model_failed, what, Fault::any, FaultKind::transient};
        fault.overloaded = status == 529 || is_overloaded(said);
        return fault;
    }
    return permanent("did not accept the request" + quoted + "; check the model's name, the base URL and the options");
}
/// Returns the words of a refusal, which may name a part of the request that the server does not support. Adds
/// max_tokens if the limit of the reply is too large, because servers describe that in many ways.
std::string refusal_of(unsigned status, const ErrorBody& said) {
    for (const unsigned one : {0, 400, 404, 405, 415, 422, 500, 501})
        if (status == one) return said.refusal + (is_reply_too_long(said) ? " max_tokens" : "");
    return {};
}
/// `status`: as received; 0 for a part of a stream or a document.
Fault judge_said(unsigned status, const ErrorBody& said, const ProviderHints& hints, const RequestInfo& asked = {}) {
    const auto meant = meant_status(status, said);
    Fault fault = judge_kind(meant, said, hints, asked);
    fault.provider_code = said.code;
    fault.request_id = said.request_id;
    fault.refusal = refusal_of(status ? status : meant == 429 ? meant : 0, said);
    fault.floor = said.wait;
    if (!fault.floor && (meant == 429 || meant == 503)) fault.floor = wait_in_words(said.words);
    if (!fault.floor) fault.reset = said.reset;
    return fault;
}
/// Applies the server's header about retries, which cannot bring credit back.
void heed(std::string_view should_retry, Fault& fault, const ErrorBody& said) {
    if (should_retry == "false") fault.retries = 0;
    if (should_retry != "true" || is_out_of_money(said) || is_daily(said)) return;
    fault.retries = Fault::any;
    if (fault.kind == FaultKind::permanent) fault.kind = FaultKind::transient;
}
}

Fault judge(const ResponseHead& answer, const ProviderHints& hints, const Secret& key, WallTime now) {
    const auto number = std::to_string(answer.status);
    if (answer.status / 100 == 3)
        return permanent("redirects to another address (" + number + ") " + quote(answer.location, key, 200) +
                         "; give that as the base URL");
    if (answer.status / 100 == 2 || answer.status / 100 == 1)
        return {Code::model_failed,
                "answered with the status " + number + ", which is not a reply; check the base URL"};
    auto said = read_error_body(answer.body, key);
    if (answer.told) said.wait = std::max(*answer.told, said.wait.value_or(*answer.told));
    if (!said.wait) said.wait = until_point(said.reset, now);
    Fault fault = judge_said(answer.status, said, hints, {!key.empty(), answer.address});
    if (!fault.floor && fault.kind == FaultKind::throttled) fault.floor = answer.limit;
    fault.reset.clear();
    heed(answer.should_retry, fault, said);
    if (!answer.request_id.empty()) fault.request_id = quote(answer.request_id, key, 200);
    return fault;
}
Fault judge(const net::NetError& error, const ProviderHints& hints, bool begun) {
    using net::Failure;
    using net::TimeoutPhase;
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
        return {error.code(), "took too long: " + sentence, error.phase() == TimeoutPhase::total ? 0 : Fault::any,
                error.phase() == TimeoutPhase::connect ? FaultKind::transient : kind};
    case Failure::too_large: return {error.code(), "sent too much: " + sentence};
    case Failure::reset:
    case Failure::truncated:
    case Failure::protocol: break;
    }
    return {code, "sent no usable reply: " + sentence, Fault::any, kind};
}
Fault judge_error_object(const nlohmann::json& error, const ProviderHints& hints, const Secret& key) {
    return judge_said(0, read_error_object(error, key), hints, {!key.empty()});
}
Fault judge_text(std::string_view text, const ProviderHints& hints, const Secret& key) {
    const auto said = read_error_body(text, key);
    const bool greets = said.says("ollama is running");
    if (said.page || greets)
        return permanent("answered with " + (greets ? "no reply: " + said.text : std::string("a web page")) + "; " +
                         hints.wrong_address);
    return judge_said(0, said, hints, {!key.empty()});
}
void throw_if_error(const nlohmann::json& part, const ProviderHints& hints, const Secret& key) {
    if (is_error(part)) throw judge_error_object(part, hints, key);
}
Fault unreadable(const std::string& said) {
    Fault fault(Code::model_failed, said, 1, FaultKind::truncated);
    fault.unreadable = true;
    return fault;
}
Fault too_long(const std::string& what) {
    Fault fault(Code::model_refused, what);
    fault.too_long = true;
    return fault;
}
Fault broken(const std::string& what) { return {Code::model_failed, what, 1, FaultKind::truncated}; }
}
