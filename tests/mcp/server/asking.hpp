// Requests to a server of MCP without a transport.
//
//     Asking client(core, engine);
//     const auto result = client.modern("tools/call", {{"name", "hello"}});     // the result, or throws RpcFailure
//     client.told;                                                              // notifications of the call
#pragma once
#include "engine/engine.hpp"
#include "workflows/mcp/core.hpp"
#include <deque>
#include <doctest/doctest.h>

namespace weft::testing {
inline nlohmann::json modern_meta(nlohmann::json capabilities = nlohmann::json::object()) {
    namespace meta = mcp_server::rpc::meta;
    nlohmann::json all = {{std::string(meta::version), "2026-07-28"}};
    all[std::string(meta::capabilities)] = std::move(capabilities);
    return all;
}
class Asking final : public mcp_server::Channel {
public:
    Asking(const mcp_server::Core& core, Engine& engine) : core_(core), engine_(engine) {}
    nlohmann::json modern(const std::string& method, nlohmann::json params = nlohmann::json::object()) {
        if (!params.contains("_meta")) params["_meta"] = modern_meta(capabilities);
        return ask(method, std::move(params), {});
    }
    nlohmann::json legacy(const std::string& method, nlohmann::json params = nlohmann::json::object()) {
        mcp_server::CallClient asker;
        asker.version = "2025-11-25";
        asker.capabilities = capabilities;
        return ask(method, std::move(params), asker);
    }
    /// Returns the code of the error, or 0 for a result.
    int code_of(const std::string& method, nlohmann::json params) {
        try {
            modern(method, std::move(params));
        } catch (const mcp_server::RpcFailure& failure) { return failure.code; }
        return 0;
    }
    void notify(mcp_server::rpc::Notification notification) override { told.push_back(std::move(notification)); }
    awaitable<mcp_server::rpc::Response> request(std::string method, nlohmann::json params) override {
        asked.push_back({{"method", method}, {"params", std::move(params)}});
        REQUIRE_FALSE(answers.empty());
        auto answer = std::move(answers.front());
        answers.pop_front();
        return [](nlohmann::json result) -> awaitable<mcp_server::rpc::Response> {
            co_return mcp_server::rpc::success(std::int64_t(1), std::move(result));
        }(std::move(answer));
    }

    nlohmann::json capabilities = nlohmann::json::object();
    std::deque<nlohmann::json> answers;  // a legacy client's answers to questions
    std::vector<nlohmann::json> asked;
    std::string principal;  // the owner of a modern client's token
    std::vector<mcp_server::rpc::Notification> told;

private:
    nlohmann::json ask(const std::string& method, nlohmann::json params,
                       const std::optional<mcp_server::CallClient>& agreed) {
        mcp_server::rpc::Request request{std::int64_t(1), method, std::move(params)};
        mcp_server::Envelope envelope;
        envelope.principal = principal;
        envelope.agreed = agreed ? &*agreed : nullptr;
        auto asker = mcp_server::check_envelope(request, envelope);
        mcp_server::Call call(std::move(request), std::move(asker), *this);
        return engine_.wait(core_.answer(call, envelope));
    }
    const mcp_server::Core& core_;
    Engine& engine_;
};
}
