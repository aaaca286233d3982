// A modern result names its type and its server; a legacy result does not. The state of a question belongs to one call
// and caller, so that an answer counts for no other call. Each call holds the state of the core, because the engine
// destroys the remaining coroutine frames after the core.
#include "workflows/mcp/core.hpp"
#include "engine/asio.hpp"
#include "engine/core/data/run_values.hpp"
#include "engine/error.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "tools/sha256.hpp"
#include "workflows/mcp/seal.hpp"
#include <algorithm>
#include <map>

namespace weft::mcp_server {
namespace {
using nlohmann::json;
constexpr std::size_t longest_name = 128;
constexpr auto list_for = std::chrono::milliseconds(std::chrono::minutes(5)),
               discovered_for = std::chrono::milliseconds(std::chrono::hours(1));

bool is_tool_name(std::string_view name) {
    return !name.empty() && name.size() <= longest_name &&
           std::ranges::all_of(name, [](char c) { return is_word_part(c) || c == '.' || c == '-'; });
}
bool is_of_object(const json& schema) { return schema.is_object() && schema.value("type", json()) == "object"; }
void add_cache_hints(json& result, std::chrono::milliseconds time, const char* scope) {
    if (!result.contains("ttlMs")) result["ttlMs"] = time.count();
    if (!result.contains("cacheScope")) result["cacheScope"] = scope;
}
/// The member with the items of an empty list. Clients request these lists without a look at the capabilities, and
/// report a failed connection if the method is unknown.
const char* list_of(std::string_view method) {
    return method == "resources/list"             ? "resources"
           : method == "resources/templates/list" ? "resourceTemplates"
           : method == "prompts/list"             ? "prompts"
                                                  : nullptr;
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
    return tools::sha256(about.dump(-1, ' ', false, json::error_handler_t::replace));
}

struct Core::State {
    explicit State(CoreOptions o) : options(std::move(o)) {
        if (!options.values.text.empty()) values = json::parse(core::checked_values(options.values.text));
    }
    static awaitable<json> answer(std::shared_ptr<State>, Call&, const Envelope&);
    awaitable<json> call_tool(Call&, const Envelope&);
    awaitable<json> act(const ToolAction&, Call&);
    json list_tools(const json& params, bool modern) const;
    json discover() const;
    json input_required(const Call&, InputRequiredResult, WallTime now) const;
    void open_state(Call&, WallTime now) const;
    json capabilities() const;
    json server_info() const;
    const CoreOptions options;
    json values = json::object();  // the options' values, parsed
    std::vector<ServedTool> tools;
    std::map<std::string, std::size_t, std::less<>> places;
    std::map<std::string, Method, std::less<>> methods;
    const StateSeal seal;
    std::size_t calls = 0;
    std::map<std::string, std::size_t> calls_of;  // number of calls by principal
};

Core::Core(CoreOptions options) : state_(std::make_shared<State>(std::move(options))) {}
void Core::add(std::string method, Method what) {
    state_->methods.insert_or_assign(std::move(method), std::move(what));
}
awaitable<json> Core::answer(Call& call, const Envelope& envelope) const {
    return State::answer(state_, call, envelope);
}
void Core::leave() const {
    for (const auto& tool : state_->tools)
        if (tool.leave) tool.leave();
}
const CoreOptions& Core::options() const { return state_->options; }
std::size_t Core::calls() const { return state_->calls; }

void Core::add(ServedTool offer) {
    const auto& tool = offer.tool;
    const auto name = tool.value("name", "");
    const auto wrong = [&](const std::string& why) {
        throw Error(Code::usage, "the tool '" + excerpt(name, 60) + "' cannot be offered: " + why);
    };
    if (!is_tool_name(name)) wrong("a name has 1 to 128 letters, digits, '_', '-' and '.'");
    if (state_->places.contains(name)) wrong("another tool has this name");
    if (!is_of_object(tool.value("inputSchema", json()))) wrong("its inputSchema has to have \"type\": \"object\"");
    if (tool.contains("outputSchema") && !is_of_object(tool["outputSchema"]))
        wrong("its outputSchema has to have \"type\": \"object\"");
    if (const auto mistake = header_mistake(tool["inputSchema"]); !mistake.empty()) wrong("its schema " + mistake);
    state_->places[name] = state_->tools.size();
    state_->tools.push_back(std::move(offer));
}
json Core::State::server_info() const {
    json info = {{"name", options.name}, {"version", options.version}};
    if (!options.title.empty()) info["title"] = options.title;
    return info;
}
json Core::State::capabilities() const {
    json all = options.capabilities;
    if (!all.contains("tools")) all["tools"] = json::object();
    return all;
}
json Core::agree(const json& params, CallClient& asker) const {
    const auto asked = params.find("protocolVersion");
    if (asked == params.end() || !asked->is_string())
        throw RpcFailure(rpc::code::bad_params, "params.protocolVersion has to be a text");
    const auto theirs = params.find("capabilities");
    const bool tells = theirs != params.end() && !theirs->is_null();
    if (tells && !theirs->is_object())
        throw RpcFailure(rpc::code::bad_params, "params.capabilities has to be an object");
    asker.era = ClientEra::legacy;
    asker.version = asked->get<std::string>();
    if (!rpc::revision::is_legacy(asker.version)) asker.version = rpc::revision::latest_legacy;
    asker.capabilities = tells ? *theirs : json::object();
    auto all = state_->capabilities();
    all.merge_patch(options().older_capabilities);
    json result = {
        {"protocolVersion", asker.version}, {"capabilities", std::move(all)}, {"serverInfo", state_->server_info()}};
    if (!options().instructions.empty()) result["instructions"] = options().instructions;
    return result;
}
json Core::State::discover() const {
    json result = {{"supportedVersions", {std::string(rpc::revision::modern)}}, {"capabilities", capabilities()}};
    if (!options.instructions.empty()) result["instructions"] = options.instructions;
    add_cache_hints(result, discovered_for, "public");
    return result;
}
json Core::State::list_tools(const json& params, bool modern) const {
    const auto page = std::max<std::size_t>(options.page, 1);
    std::size_t first = 0;
    const auto cursor = params.find("cursor");
    const bool from_start = cursor == params.end() || cursor->is_null() || *cursor == json("");  // some clients do
    if (!from_start) {
        bool known = false;
        for (std::size_t at = page; at < tools.size() && !known; at += page)
            if (*cursor == "from-" + std::to_string(at)) {
                first = at;
                known = true;
            }
        if (!known) throw RpcFailure(rpc::code::bad_params, "this cursor is unknown: start again without a cursor");
    }
    json listed = json::array();
    const auto end = std::min(tools.size(), first + page);
    for (auto at = first; at < end; ++at) listed.push_back(tools[at].tool);
    json result = {{"tools", std::move(listed)}};
    if (end < tools.size()) result["nextCursor"] = "from-" + std::to_string(end);
    if (modern) add_cache_hints(result, list_for, "private");
    return result;
}
void Core::State::open_state(Call& call, WallTime now) const {
    if (!call.modern()) return;
    check_answers(call.params());
    const auto state = call.params().find("requestState");
    if (state == call.params().end() || state->is_null()) return;
    auto opened = state->is_string() ? seal.open(state->get_ref<const std::string&>(), purpose_of(call), now)
                                     : std::nullopt;
    if (!opened)
        throw RpcFailure(rpc::code::bad_params, "requestState is not this server's for this request, or it is too "
                                                "old: call again without requestState and inputResponses");
    call.set_state(std::move(*opened));
}
json Core::State::input_required(const Call& call, InputRequiredResult required, WallTime now) const {
    json result = {{"resultType", "input_required"}, {"inputRequests", std::move(required.requests)}};
    if (!required.state.empty())
        result["requestState"] = seal.close(required.state, purpose_of(call),
                                            now + std::chrono::ceil<std::chrono::microseconds>(options.answer_time));
    return result;
}
/// Calls the handler within the limits of all handlers.
awaitable<json> Core::State::act(const ToolAction& handler, Call& call) {
    if (calls >= options.calls_at_once) throw std::runtime_error("too many calls are open here: call again later");
    const auto& caller = call.asker().principal;  // empty: no limit per caller
    const auto of_caller = calls_of.find(caller);
    if (!caller.empty() && of_caller != calls_of.end() && of_caller->second >= options.calls_of_caller)
        throw std::runtime_error("this caller has too many open calls: call again later");
    struct Counted {
        State& state;
        const std::string caller;
        ~Counted() {
            --state.calls;
            if (--state.calls_of[caller] == 0) state.calls_of.erase(caller);
        }
    };
    ++calls;
    ++calls_of[caller];
    const Counted counted{*this, caller};
    call.set_values(values);
    auto acting = handler(call);
    json result;
    if (options.timeout) {
        result = co_await with_timeout(*options.timeout, std::move(acting));
    } else result = co_await std::move(acting);
    if (!result.is_object()) throw std::runtime_error("the server has made no result for this call");
    co_return result;
}
awaitable<json> Core::State::call_tool(Call& call, const Envelope& envelope) {
    const auto& params = call.params();
    const auto name = params.find("name");
    if (name == params.end() || !name->is_string())
        throw RpcFailure(rpc::code::bad_params, "params.name has to be the name of a tool");
    const auto place = places.find(name->get_ref<const std::string&>());
    if (place == places.end())
        throw RpcFailure(rpc::code::bad_params, "there is no tool \"" + excerpt(name->get<std::string>(), 60) + '"');
    const auto arguments = params.find("arguments");
    if (arguments != params.end() && !arguments->is_object() && !arguments->is_null())
        throw RpcFailure(rpc::code::bad_params, "params.arguments has to be an object");
    const auto& tool = tools[place->second];
    const auto& schema = tool.tool.at("inputSchema");
    call.pass_over_extras(schema);
    if (call.modern()) check_params(call.arguments(), schema, envelope);
    const auto& clock = co_await this_clock();
    open_state(call, clock.wall());
    try {
        co_return co_await act(tool.act, call);
    } catch (const boost::system::system_error& error) {
        if (error.code() == asio::error::operation_aborted) throw;
        co_return failed_result(error.what());
    } catch (const RpcFailure& failure) {
        if (call.modern() || failure.code != rpc::code::missing_capability) throw;
        co_return failed_result(failure.what());
    } catch (const std::exception& error) { co_return failed_result(error.what()); }
}
awaitable<json> Core::State::answer(std::shared_ptr<State> self, Call& call, const Envelope& envelope) {
    json result;
    const auto& clock = co_await this_clock();
    if (call.modern()) check_names(call.method(), call.params(), envelope);
    const auto other = self->methods.find(call.method());
    const bool has_other = other != self->methods.end() &&
                           (call.modern() ? other->second.modern : other->second.legacy);
    try {
        if (call.method() == rpc::method::call_tool) {
            result = co_await self->call_tool(call, envelope);
        } else if (call.method() == rpc::method::list_tools) result = self->list_tools(call.params(), call.modern());
        else if (call.modern() && call.method() == rpc::method::discover) result = self->discover();
        else if (!call.modern() && call.method() == rpc::method::ping) result = json::object();
        else if (has_other) {
            if (other->second.asks) self->open_state(call, clock.wall());
            result = co_await self->act(other->second.act, call);
            if (call.modern() && other->second.cacheable) add_cache_hints(result, list_for, "private");
        } else if (const auto* list = list_of(call.method())) {
            result[list] = json::array();
            if (call.modern()) add_cache_hints(result, list_for, "private");
        } else
            throw RpcFailure(rpc::code::no_method, "there is no method \"" + excerpt(call.method(), 60) + "\" here",
                             nullptr, 404);
    } catch (InputRequiredResult& asked) {
        result = self->input_required(call, std::move(asked), clock.wall());
    } catch (const RpcFailure&) { throw; } catch (const boost::system::system_error& error) {
        if (error.code() == asio::error::operation_aborted) throw;
        throw RpcFailure(rpc::code::ours, excerpt(error.what(), 1000));
    } catch (const std::exception& error) { throw RpcFailure(rpc::code::ours, excerpt(error.what(), 1000)); }
    if (call.modern()) {
        if (!result.contains("resultType")) result["resultType"] = "complete";
        auto& meta = result["_meta"];
        if (!meta.is_object()) meta = json::object();  // a handler's mistake
        meta[std::string(rpc::meta::server)] = self->server_info();
    }
    co_return result;
}
}
