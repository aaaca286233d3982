// A modern result says by itself what it is and who has made it; a legacy one has nothing of that. The state of a
// question is bound to what it was asked for, so that an answer counts for no other call.
#include "workflows/mcp/core.hpp"
#include "engine/asio.hpp"
#include "engine/error.hpp"
#include "engine/timeout.hpp"
#include "engine/utf8.hpp"
#include <algorithm>

namespace weft::mcp_server {
namespace {
using nlohmann::json;
constexpr std::size_t longest_name = 128;
constexpr auto list_for = std::chrono::milliseconds(std::chrono::minutes(5)),
               discovered_for = std::chrono::milliseconds(std::chrono::hours(1));

bool is_tool_name(std::string_view name) {
    return !name.empty() && name.size() <= longest_name && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
               c == '-';
    });
}
bool is_of_object(const json& schema) { return schema.is_object() && schema.value("type", json()) == "object"; }
void add_cache_hints(json& result, std::chrono::milliseconds time, const char* scope) {
    if (!result.contains("ttlMs")) result["ttlMs"] = time.count();
    if (!result.contains("cacheScope")) result["cacheScope"] = scope;
}
json failed_result(std::string_view sentence) {
    return text_result(sentence.empty() ? "the call failed" : sentence, true);
}
}

std::string purpose_of(const Call& call) {
    const auto& params = call.params();
    json about = {{"principal", call.asker().principal}, {"method", call.method()}};
    for (const char* key : {"name", "uri", "arguments"})
        if (const auto found = params.find(key); found != params.end()) about[key] = *found;
    return digest_of(about.dump(-1, ' ', false, json::error_handler_t::replace));
}

Core::Core(CoreOptions options) : options_(std::move(options)) {}
void Core::add(Offer offer) {
    const auto& tool = offer.tool;
    const auto name = tool.value("name", "");
    const auto wrong = [&](const std::string& why) {
        throw Error(Code::usage, "the tool '" + excerpt(name, 60) + "' cannot be offered: " + why);
    };
    if (!is_tool_name(name)) wrong("a name has 1 to 128 letters, digits, '_', '-' and '.'");
    if (places_.contains(name)) wrong("there is another one of that name");
    if (!is_of_object(tool.value("inputSchema", json()))) wrong("its inputSchema has to have \"type\": \"object\"");
    if (tool.contains("outputSchema") && !is_of_object(tool["outputSchema"]))
        wrong("its outputSchema has to have \"type\": \"object\"");
    if (const auto mistake = header_mistake(tool["inputSchema"]); !mistake.empty()) wrong("its schema " + mistake);
    places_[name] = tools_.size();
    tools_.push_back({std::move(offer)});
}
void Core::add(std::string method, Method what) { methods_.insert_or_assign(std::move(method), std::move(what)); }

void Core::leave() const {
    for (const auto& tool : tools_)
        if (tool.offer.leave) tool.offer.leave();
}

json Core::server_info() const {
    json info = {{"name", options_.name}, {"version", options_.version}};
    if (!options_.title.empty()) info["title"] = options_.title;
    return info;
}
json Core::capabilities() const {
    json all = options_.capabilities;
    if (!all.contains("tools")) all["tools"] = json::object();
    return all;
}
json Core::agree(const json& params, Asker& asker) const {
    const auto asked = params.find("protocolVersion");
    if (asked == params.end() || !asked->is_string())
        throw RpcFailure(rpc::code::bad_params, "params.protocolVersion has to be a text");
    const auto capabilities = params.find("capabilities");
    if (capabilities != params.end() && !capabilities->is_object())
        throw RpcFailure(rpc::code::bad_params, "params.capabilities has to be an object");
    asker.era = Era::legacy;
    asker.version = asked->get<std::string>();
    if (!rpc::revision::is_legacy(asker.version)) asker.version = rpc::revision::latest_legacy;
    asker.capabilities = capabilities == params.end() ? json::object() : *capabilities;
    auto all = this->capabilities();
    all.merge_patch(options_.older_capabilities);
    json result = {{"protocolVersion", asker.version}, {"capabilities", std::move(all)}, {"serverInfo", server_info()}};
    if (!options_.instructions.empty()) result["instructions"] = options_.instructions;
    return result;
}
json Core::discover() const {
    json result = {{"supportedVersions", {std::string(rpc::revision::modern)}}, {"capabilities", capabilities()}};
    if (!options_.instructions.empty()) result["instructions"] = options_.instructions;
    add_cache_hints(result, discovered_for, "public");
    return result;
}
json Core::list_tools(const json& params, bool modern) const {
    std::size_t first = 0;
    if (const auto cursor = params.find("cursor"); cursor != params.end()) {
        bool known = false;
        for (std::size_t at = options_.page; at < tools_.size() && !known; at += options_.page)
            if (*cursor == "from-" + std::to_string(at)) {
                first = at;
                known = true;
            }
        if (!known) throw RpcFailure(rpc::code::bad_params, "there is no such cursor: begin again without one");
    }
    json tools = json::array();
    const auto end = std::min(tools_.size(), first + options_.page);
    for (auto at = first; at < end; ++at) tools.push_back(tools_[at].offer.tool);
    json result = {{"tools", std::move(tools)}};
    if (end < tools_.size()) result["nextCursor"] = "from-" + std::to_string(end);
    if (modern) add_cache_hints(result, list_for, "private");
    return result;
}
void Core::open_state(Call& call) const {
    if (!call.modern()) return;
    check_answers(call.params());
    const auto state = call.params().find("requestState");
    if (state == call.params().end()) return;
    auto opened = state->is_string()
                      ? seal_.open(state->get_ref<const std::string&>(), purpose_of(call), real_clock().wall())
                      : std::nullopt;
    if (!opened)
        throw RpcFailure(rpc::code::bad_params, "requestState is not what this server has given for this request, or "
                                                "it is too old: call again without it");
    call.set_state(std::move(*opened));
}
json Core::input_required(const Call& call, InputRequired required) const {
    json result = {{"resultType", "input_required"}, {"inputRequests", std::move(required.requests)}};
    if (!required.state.empty())
        result["requestState"] = seal_.close(required.state, purpose_of(call),
                                             real_clock().wall() +
                                                 std::chrono::ceil<std::chrono::microseconds>(options_.answer_time));
    return result;
}
/// With the limits that every handler has.
awaitable<json> Core::act(const Act& handler, Call& call) const {
    if (calls_ >= options_.calls_at_once)
        throw std::runtime_error("too many calls go on here at once: call again later");
    struct Counted {
        std::size_t& calls;
        ~Counted() { --calls; }
    } counted{++calls_};
    auto acting = handler(call);
    json result;
    if (options_.timeout) {
        with_timeout<json> limited(*options_.timeout, std::move(acting));
        result = co_await std::move(limited);
    } else result = co_await std::move(acting);
    if (!result.is_object()) throw std::runtime_error("the server has no result for this");
    co_return result;
}
awaitable<json> Core::call_tool(Call& call, const Envelope& envelope) const {
    const auto& params = call.params();
    const auto name = params.find("name");
    if (name == params.end() || !name->is_string())
        throw RpcFailure(rpc::code::bad_params, "params.name has to be the name of a tool");
    const auto place = places_.find(name->get_ref<const std::string&>());
    if (place == places_.end())
        throw RpcFailure(rpc::code::bad_params, "there is no tool \"" + excerpt(name->get<std::string>(), 60) + '"');
    const auto arguments = params.find("arguments");
    if (arguments != params.end() && !arguments->is_object() && !arguments->is_null())
        throw RpcFailure(rpc::code::bad_params, "params.arguments has to be an object");
    const auto& tool = tools_[place->second];
    if (call.modern()) check_params(call.arguments(), tool.schema(), envelope);
    open_state(call);
    std::string why;
    try {
        auto acting = act(tool.offer.act, call);
        auto result = co_await std::move(acting);
        co_return result;
    } catch (const boost::system::system_error& error) {
        if (error.code() == asio::error::operation_aborted) throw;
        why = error.what();
    } catch (const RpcFailure& failure) {
        if (call.modern() || failure.code != rpc::code::missing_capability) throw;
        why = failure.what();
    } catch (const std::exception& error) { why = error.what(); }
    co_return failed_result(why);
}
awaitable<json> Core::answer(Call& call, const Envelope& envelope) const {
    json result;
    std::optional<InputRequired> required;
    if (call.modern()) check_names(call.method(), call.params(), envelope);
    const auto other = methods_.find(call.method());
    const bool has_other = other != methods_.end() && (call.modern() ? other->second.modern : other->second.legacy);
    try {
        if (call.method() == rpc::method::call_tool) {
            auto calling = call_tool(call, envelope);
            result = co_await std::move(calling);
        } else if (call.method() == rpc::method::list_tools) result = list_tools(call.params(), call.modern());
        else if (call.modern() && call.method() == rpc::method::discover) result = discover();
        else if (!call.modern() && call.method() == rpc::method::ping) result = json::object();
        else if (has_other) {
            if (other->second.asks) open_state(call);
            auto acting = act(other->second.act, call);
            result = co_await std::move(acting);
            if (call.modern() && other->second.cacheable) add_cache_hints(result, list_for, "private");
        } else
            throw RpcFailure(rpc::code::no_method, "there is no method \"" + excerpt(call.method(), 60) + "\" here",
                             nullptr, 404);
    } catch (InputRequired& asked) { required = std::move(asked); } catch (const RpcFailure&) {
        throw;
    } catch (const boost::system::system_error&) { throw; } catch (const std::exception& error) {
        throw RpcFailure(rpc::code::ours, excerpt(error.what(), 1000));
    }
    if (required) result = input_required(call, std::move(*required));
    if (call.modern()) {
        if (!result.contains("resultType")) result["resultType"] = "complete";
        result["_meta"][std::string(rpc::meta::server)] = server_info();
    }
    co_return result;
}
}
