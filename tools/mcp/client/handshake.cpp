// A modern request finds the server's era. A legacy server answers with an error, stays silent, ends, or a gateway
// returns something else for it.
#include "engine/text/hidden.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/client_core.hpp"
#include <algorithm>

namespace weft::tools::mcp {
using nlohmann::json;
namespace {
bool lists(const json& versions, std::string_view wanted) {
    return versions.is_array() && std::ranges::any_of(versions, [&](const json& v) { return v == wanted; });
}
bool lists_legacy(const json& versions) {
    return versions.is_array() && std::ranges::any_of(versions, [](const json& v) {
               return v.is_string() && revision::is_legacy(v.get_ref<const json::string_t&>());
           });
}
/// The reason for the lack of a response, if known.
std::string why_silent(const Transport& transport) {
    if (const auto id = transport.odd_id(); !id.empty())
        return ": it has answered with the id " + quoted(id, 80) + ", which no request has";
    if (const auto line = quoted(transport.odd_line(), 200); !line.empty())
        return ": it wrote the line \"" + line +
               "\" to its standard output, which is not a message of MCP: it has to write each message there as JSON "
               "on "
               "one line, and its logs to standard error";
    return {};
}
/// Whether a request of the older era would fail in the same way. If not, it is tried: gateways answer unknown requests
/// with any status, with nothing, or with text that is not a message.
bool tells_more(TransportFailure trouble, bool by_pipe) {
    if (by_pipe) return trouble != TransportFailure::ended && trouble != TransportFailure::unusable;
    return trouble == TransportFailure::unreachable || trouble == TransportFailure::needs_token;
}
}

awaitable<void> ClientCore::connect() {
    refuse_if_closed();
    if (ready_ && transport_->is_open()) co_return;
    auto pass = co_await connecting_.enter();
    refuse_if_closed();
    if (ready_ && transport_->is_open()) co_return;
    ready_ = false;
    runtime_ = *co_await this_runtime();
    if (transport_->is_open()) co_await transport_->close();
    std::exception_ptr error;
    auto shaking = shake_hands();
    try {
        co_await with_timeout(options_.limits.start, std::move(shaking));
        ready_ = true;
        ++connections_;
        ++changes_;  // a restarted server may be another version
        co_return;
    } catch (const TransportError&) { error = std::current_exception(); } catch (const Error& e) {
        error = e.code() == Code::timed_out && !dynamic_cast<const ErrorResponse*>(&e)
                    ? std::make_exception_ptr(
                          TransportError(TransportFailure::unreachable, who() + " was not ready within " +
                                                                            in_seconds(options_.limits.start) +
                                                                            " of its start" + why_silent(*transport_)))
                    : std::current_exception();
    }
    co_await transport_->close();
    std::rethrow_exception(error);
}

awaitable<void> ClientCore::shake_hands() {
    co_await transport_->open(*this);
    const bool remembered = era_ && !options_.era;
    if (remembered && era_ == ServerEra::modern) co_return;
    ProbeResult found = ProbeResult::legacy;
    if (era_ != ServerEra::legacy) {
        // Over HTTP a server may be waking up; and with one fixed era there is no other request to try.
        const bool by_pipe = transport_->kind() == Transport::Kind::stdio;
        const auto& limits = options_.limits;
        auto probing = probe(options_.era ? limits.answer : by_pipe ? limits.probe : 3 * limits.probe);
        found = co_await std::move(probing);
        if (found != ProbeResult::modern && options_.era)
            throw Error(Code::step_failed, who() + " does not speak MCP " + std::string(revision::modern));
    }
    if (found != ProbeResult::modern) {
        if (!transport_->is_open()) {  // restart a server that ends on an unknown message
            co_await transport_->open(*this, true);
        }
        era_ = ServerEra::legacy;
        std::exception_ptr refused;
        try {
            co_await initialize();
            co_return;
        } catch (const Error&) { refused = std::current_exception(); }
        if (!options_.era) era_.reset();
        if (found != ProbeResult::silence || !transport_->is_open()) std::rethrow_exception(refused);
        auto probing = probe(options_.limits.start);  // the server was only slow
        found = co_await std::move(probing);
        if (found != ProbeResult::modern) std::rethrow_exception(refused);
    }
    era_ = ServerEra::modern;
    transport_->agree(revision::modern);
}

awaitable<ClientCore::ProbeResult> ClientCore::probe(Duration limit) {
    const bool by_pipe = transport_->kind() == Transport::Kind::stdio;
    for (int attempt = 0;; ++attempt) {
        auto request = make(method::discover, json::object(), false);
        SendOptions sending{.quiet = true};
        auto asking = transport_->request(std::move(request), std::move(sending));
        bool again = false;
        try {
            const auto response = co_await with_timeout(limit, std::move(asking));
            const auto* error = response.error();
            again = error && error->code == code::unsupported_version && attempt == 0 && error->data.is_object() &&
                    lists(error->data.value("supported", json()), revision::modern);
            if (!again) co_return judge(response);
        } catch (const TransportError& error) {
            if (tells_more(error.trouble(), by_pipe)) throw;
            co_return ProbeResult::legacy;
        } catch (const Error& error) {
            if (error.code() != Code::timed_out) throw;
            co_return ProbeResult::silence;
        }
    }
}
ClientCore::ProbeResult ClientCore::judge(const Response& response) {
    const auto* error = response.error();
    if (error && error->code != code::unsupported_version) {
        if (error->code == code::header_mismatch || error->code == code::missing_capability)
            invalid_answer("the request server/discover with: " + quoted(error->message, 300));
        return ProbeResult::legacy;
    }
    const auto& told = error ? error->data : *response.result();
    const auto versions = told.is_object() ? told.value(error ? "supported" : "supportedVersions", json()) : json();
    if (!error && lists(versions, revision::modern)) {
        take_capabilities(told);
        return ProbeResult::modern;
    }
    if (lists_legacy(versions) || (!error && !versions.is_array())) return ProbeResult::legacy;
    throw Error(Code::step_failed,
                who() + " speaks only " + quoted(versions.dump(), 200) + " of MCP, and none of that is known here");
}

awaitable<void> ClientCore::initialize() {
    json capabilities = json::object();
    if (options_.elicitation) capabilities["elicitation"] = json::object();
    json params = json::object();
    params["protocolVersion"] = revision::latest_legacy;
    params["capabilities"] = std::move(capabilities);
    params["clientInfo"] = {{"name", options_.name}, {"version", options_.version}};
    auto request = make(method::initialize, std::move(params));
    SendOptions sending{.quiet = true};
    auto response = co_await transport_->request(std::move(request), std::move(sending));
    const auto result = result_of(std::move(response), "initialize");
    const auto version = result.value("protocolVersion", json());
    if (!version.is_string() || !revision::is_legacy(version.get_ref<const json::string_t&>()))
        invalid_answer("initialize with the revision " + quoted(version.dump(), 60) +
                       " of MCP, which is not known here");
    take_capabilities(result);
    transport_->agree(version.get_ref<const json::string_t&>());
    Notification initialized{std::string(method::initialized)};
    co_await transport_->notify(std::move(initialized));
}
void ClientCore::take_capabilities(const json& result) {
    constexpr std::size_t longest_instructions = 16u << 10;
    const auto capabilities = result.value("capabilities", json());
    const auto tools = capabilities.is_object() ? capabilities.value("tools", json()) : json();
    declares_tools_ = tools.is_object() || tools == true;
    tells_changes_ = tools.is_object() && tools.value("listChanged", json()) == true;
    instructions_.clear();
    if (const auto at = result.find("instructions"); at != result.end() && at->is_string())
        instructions_ = without_hidden(at->get_ref<const json::string_t&>());
    instructions_.resize(utf8_cut(instructions_, longest_instructions).size());
}
}
