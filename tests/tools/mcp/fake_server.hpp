// An MCP server inside a test, which sees each request and chooses the answer.
#pragma once
#include "engine/asio.hpp"
#include "engine/signal.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/client.hpp"
#include <algorithm>

namespace weft::testing {
namespace mcp = tools::mcp;
using nlohmann::json;

struct FakeServer {
    using Act = std::function<awaitable<mcp::Response>(FakeServer&, mcp::Request)>;
    mcp::Transport::Kind kind = mcp::Transport::Kind::stdio;
    Act act;
    std::function<awaitable<void>(FakeServer&)> on_answer;  // called before an answer counts as sent
    std::vector<mcp::Request> requests;
    std::vector<mcp::SendOptions> sent;
    std::vector<mcp::Notification> notifications;
    std::vector<mcp::Response> answers;
    std::vector<std::string> agreed;
    std::vector<mcp::Id> given_up;  // cancelled requests
    std::string odd_line;           // an invalid line of the server
    int opened = 0, closed = 0;
    bool open = false, hears = true;
    int answering = 0;
    mcp::TransportListener* listener = nullptr;

    /// Ends the process by itself.
    void end() {
        open = false;
        listener->ended("it has ended");
    }
    int asked(std::string_view method) const {
        return int(std::ranges::count(requests, method, &mcp::Request::method));
    }
    const mcp::Request& last(std::string_view method) const {
        for (auto at = requests.rbegin(); at != requests.rend(); ++at)
            if (at->method == method) return *at;
        throw std::out_of_range("no such request");
    }
};
class FakeWay final : public mcp::Transport {
public:
    explicit FakeWay(std::shared_ptr<FakeServer> server) : server_(std::move(server)) {}
    Kind kind() const override { return server_->kind; }
    const std::string& server() const override { return name_; }
    awaitable<void> open(mcp::TransportListener& listener, bool) override {
        ++server_->opened;
        server_->open = true;
        server_->listener = &listener;
        co_return;
    }
    bool is_open() const override { return server_->open; }
    bool hears() const override { return server_->open && server_->hears; }
    std::string odd_line() const override { return server_->odd_line; }
    void agree(std::string_view version) override { server_->agreed.emplace_back(version); }
    awaitable<mcp::Response> request(mcp::Request request, mcp::SendOptions sending) override {
        const auto id = request.id;
        server_->requests.push_back(request);
        server_->sent.push_back(std::move(sending));
        auto acting = server_->act(*server_, std::move(request));
        try {
            co_return co_await std::move(acting);
        } catch (const boost::system::system_error&) {
            server_->given_up.push_back(id);
            throw;
        }
    }
    awaitable<void> notify(mcp::Notification notification) override {
        server_->notifications.push_back(std::move(notification));
        co_return;
    }
    awaitable<void> answer(mcp::Response response) override {
        ++server_->answering;
        if (server_->on_answer) {
            auto acting = server_->on_answer(*server_);
            co_await std::move(acting);
        }
        server_->answers.push_back(std::move(response));
        co_return;
    }
    awaitable<void> close() override {
        server_->open = false;
        ++server_->closed;
        co_return;
    }

private:
    const std::shared_ptr<FakeServer> server_;
    const std::string name_ = "files";
};

inline json text_result(const std::string& text) {
    return {{"content", json::array({{{"type", "text"}, {"text", text}}})}};
}
inline json plain_tool(const std::string& name) {
    return {{"name", name}, {"description", "Does it."}, {"inputSchema", {{"type", "object"}}}};
}
inline json initialized_with(const json& tools = {{"listChanged", true}}) {
    return {{"protocolVersion", "2025-11-25"}, {"capabilities", {{"tools", tools}}}, {"serverInfo", {{"name", "s"}}}};
}
inline json discovered(bool tells_changes = false) {
    auto tools = json::object();
    if (tells_changes) tools["listChanged"] = true;
    return {{"resultType", "complete"},
            {"supportedVersions", json::array({"2026-07-28"})},
            {"capabilities", {{"tools", tools}}},
            {"instructions", "Be\u200b kind."}};
}
/// Answers like a server of one era with one tool. `otherwise` gets all other requests.
struct Manners {
    bool modern = false;
    json tools = json::array({plain_tool("read")});
    FakeServer::Act otherwise;
};
inline awaitable<mcp::Response> answer_politely(FakeServer& server, mcp::Request request, Manners manners) {
    if (manners.otherwise) {
        auto acting = manners.otherwise(server, request);
        auto response = co_await std::move(acting);
        if (response.id) co_return response;
    }
    if (request.method == "server/discover" && manners.modern) co_return mcp::success(request.id, discovered());
    if (request.method == "initialize" && !manners.modern) co_return mcp::success(request.id, initialized_with());
    if (request.method == "tools/list") {
        json page = {{"tools", manners.tools}};
        co_return mcp::success(request.id, std::move(page));
    }
    if (request.method == "tools/call") {
        auto text = text_result("done");
        if (manners.modern) text["resultType"] = "complete";
        co_return mcp::success(request.id, std::move(text));
    }
    co_return mcp::failure(request.id, -32601, "no such method");
}
inline std::shared_ptr<FakeServer> polite_server(Manners manners) {
    auto server = std::make_shared<FakeServer>();
    server->act = [manners](FakeServer& self, mcp::Request request) {
        return answer_politely(self, std::move(request), manners);
    };
    return server;
}
/// The result of `otherwise` for requests that it does not answer.
inline mcp::Response not_mine() { return {}; }
}
