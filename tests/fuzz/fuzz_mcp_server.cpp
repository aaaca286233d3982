// Any bytes of a client of MCP, in either era, get a result or an error with a code of the protocol, in a form that can
// be written. The bytes are also used as headers and states.
#include "engine/testing/await.hpp"
#include "workflows/mcp/core.hpp"
#include "workflows/mcp/seal.hpp"
#include "workflows/mcp/sessions.hpp"
#include <cstdint>
#include <cstdlib>
#include <set>

namespace {
using namespace weft;
using namespace weft::mcp_server;
using nlohmann::json;

void demand(bool holds) {
    if (!holds) std::abort();
}
awaitable<json> echo(Call& call) {
    call.progress(1, 2, call.arguments().dump(-1, ' ', false, json::error_handler_t::replace));
    co_return text_result(call.arguments().dump(-1, ' ', false, json::error_handler_t::replace));
}
awaitable<json> ask(Call& call) {
    json questions = {{"name", elicitation("Who?", {{"type", "object"}})}};
    auto asking = call.ask(std::move(questions), "state");
    const auto answers = co_await std::move(asking);
    co_return text_result(answers.dump());
}
class Nowhere final : public Channel {
public:
    void notify(rpc::Notification notification) override {
        demand(!json::parse(rpc::write(std::move(notification)), nullptr, false).is_discarded());
    }
    awaitable<rpc::Response> request(std::string, json) override { return refuse(); }

private:
    static awaitable<rpc::Response> refuse() { co_return rpc::failure(std::int64_t(1), rpc::code::no_method, "no"); }
};
const Core& served() {
    static const auto core = [] {
        auto made = std::make_unique<Core>(CoreOptions{.page = 1});
        const auto schema = R"({"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "A"}}})";
        made->add({{{"name", "echo"}, {"inputSchema", json::parse(schema)}}, echo});
        made->add({{{"name", "ask"}, {"inputSchema", {{"type", "object"}}}}, ask});
        return made;
    }();
    return *core;
}
void answer(const rpc::Request& request, const Envelope& envelope) {
    static const std::set<int> codes{
        rpc::code::no_request,      rpc::code::no_method,           rpc::code::bad_params,        rpc::code::ours,
        rpc::code::header_mismatch, rpc::code::unsupported_version, rpc::code::missing_capability};
    Nowhere nowhere;
    try {
        if (request.method == rpc::method::initialize && !is_modern(request.params, envelope)) {
            CallClient asker;
            demand(
                rpc::revision::is_legacy(served().agree(request.params, asker)["protocolVersion"].get<std::string>()));
            return;
        }
        auto asker = check_envelope(request, envelope);
        Call call(request, std::move(asker), nowhere);
        const auto result = testing::await(served().answer(call, envelope));
        demand(result.is_object() && call.modern() == result.contains("resultType"));
        const auto text = rpc::write(rpc::success(request.id, result));
        demand(!json::parse(text, nullptr, false).is_discarded());
    } catch (const RpcFailure& failure) {
        demand(codes.contains(failure.code) && *failure.what() && failure.status >= 200 && failure.status < 500);
    }
}
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    decode_header(text);
    if (const auto place = read_place(text)) demand(read_place(event_id(place->stream, place->next)).has_value());
    const StateSeal seal;
    demand(!seal.open(text, "purpose", {}));
    auto read = rpc::read_message(text, {.bytes = 1 << 20});
    auto* message = std::get_if<rpc::RpcMessage>(&read);
    const auto* request = message ? std::get_if<rpc::Request>(message) : nullptr;
    if (!request) return 0;
    CallClient older;
    older.version = "2025-11-25";
    older.capabilities = {{"elicitation", json::object()}};
    Envelope envelope;
    answer(*request, envelope);
    envelope.agreed = &older;
    answer(*request, envelope);
    const net::HttpHeaders headers{{"MCP-Protocol-Version", "2026-07-28"},
                                   {"Mcp-Method", request->method},
                                   {"Mcp-Name", "echo"},
                                   {"Mcp-Param-A", std::string(text.substr(0, 40))}};
    envelope.http = true;
    envelope.headers = &headers;
    answer(*request, envelope);
    return 0;
}
