// A server on an engine with several loops: runs are on all loops, clients on the first.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/net/http_client.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/memory_store.hpp"
#include "workflows/hello.hpp"
#include "workflows/refund.hpp"
#include "workflows/server/server.hpp"
#include "workflows/worker/worker.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <thread>
using namespace weft;
using nlohmann::json;

namespace {
/// Sends requests on its own loop.
class Client {
public:
    explicit Client(std::string url) : url_(std::move(url)) {}
    net::HttpResponse ask(const std::string& method, const std::string& path, const json& body = nullptr) {
        net::HttpRequest request{.method = method, .url = net::parse_url(url_ + path)};
        if (!body.is_null()) {
            request.headers.push_back({"Content-Type", "application/json"});
            request.body = body.dump();
        }
        auto sending = client_.send(request);
        return engine_.wait(std::move(sending));
    }

private:
    const std::string url_;
    net::HttpClient client_;
    Engine engine_;
};
const json refund = {{"start_event", {{"order", "A-17"}, {"amount", 120}}}};
bool is_of_client(const server::ServedRuns& runs, const std::string& id) {
    try {
        return runs.find(id)->status() == RunStatus::running;
    } catch (const server::Problem&) { return false; }
}
const json granted = {{"event", {{"type", "ApprovalEvent"}, {"value", {{"granted", true}}}}}};
}

TEST_SUITE("threads") {
    TEST_CASE("clients on many threads get runs on many loops, and all end when the server stops") {
        Engine engine({.loops = 3});
        std::vector<server::ServedWorkflow> workflows{server::offer(engine, workflows::hello),
                                                      server::offer(engine, workflows::refund)};
        server::Server server(engine, std::move(workflows), {.port = 0});
        server.listen();
        std::thread serving([&] { server.run(); });
        std::atomic<int> greeted = 0, decided = 0, read = 0;
        std::vector<std::thread> clients;
        for (int c = 0; c < 4; ++c)
            clients.emplace_back([&] {
                Client client(server.url());
                for (int i = 0; i < 10; ++i) {
                    const auto hello = client.ask("POST", "/workflows/hello/run", {{"start_event", {{"text", "you"}}}});
                    greeted += hello.body.find("Hello, you!") != std::string::npos;
                    const auto begun = client.ask("POST", "/workflows/refund/run-nowait", refund);
                    const auto id = json::parse(begun.body).at("handler_id").get<std::string>();
                    while (client.ask("POST", "/events/" + id, granted).status == 409) {}  // the run has not asked yet
                    const auto events = client.ask("GET", "/events/" + id + "?include_internal=true");
                    read += events.body.find("DecisionEvent") != std::string::npos;
                    decided += client.ask("GET", "/handlers/" + id).status == 200;
                }
            });
        for (auto& client : clients) client.join();
        Client last(server.url());
        last.ask("POST", "/workflows/refund/run-nowait", refund);  // continues when the server stops
        server.stop();
        serving.join();

        CHECK(greeted == 40);
        CHECK(read == 40);
        CHECK(decided == 40);
        CHECK(server.http().connections() == 0);
    }
    TEST_CASE("a worker in the process of a server executes the other runs of the store, and no run of a client") {
        MemoryStore store;
        const server::ServedRuns* served_runs = nullptr;
        worker::Worker worker(
            {.slots = 3, .leaves = [&](const storage::RunRow& row) { return is_of_client(*served_runs, row.id); }});
        Engine engine({.loops = 2, .store = &store, .park = true, .tells = [&] { return worker.tell(); }});
        const auto hello = durable(workflows::hello);
        std::vector<server::ServedWorkflow> workflows{server::offer(engine, hello)};
        server::Server server(engine, std::move(workflows), {.port = 0, .store = &store});
        served_runs = &server.runs();
        server.listen();
        worker.offer(engine, hello);
        std::thread serving([&] { server.run(); }), working([&] { worker.work(engine, store); });
        std::vector<std::thread> clients;
        std::atomic<int> greeted = 0;
        for (int c = 0; c < 3; ++c)
            clients.emplace_back([&] {
                Client client(server.url());
                for (int i = 0; i < 5; ++i) {
                    // The run is ready at once in the store, for the server and for the worker.
                    const json delayed = {{"start_event", {{"text", "you"}}},
                                          {"not_before", to_json(real_clock().wall() + std::chrono::milliseconds(5))}};
                    const auto begun = client.ask("POST", "/workflows/hello/run-nowait", delayed);
                    const auto handler = "/handlers/" + json::parse(begun.body).at("handler_id").get<std::string>();
                    (void)engine.enqueue(hello, {.text = "me"});
                    while (json::parse(client.ask("GET", handler).body).at("status") == "running") {}
                    greeted += client.ask("GET", handler).body.find("Hello, you!") != std::string::npos;
                }
            });
        for (auto& client : clients) client.join();
        const auto done = [&] {
            return storage::answer_of<std::vector<storage::RunRow>>(
                       [&](auto then) { store.list({.statuses = {RunStatus::done}}, std::move(then)); })
                .size();
        };
        while (done() < 30) std::this_thread::yield();
        worker.stop();
        server.stop();
        working.join();
        serving.join();
        engine.leave_all(std::chrono::seconds(1));
        worker.finish();

        CHECK(greeted == 15);
        CHECK(worker.info().refused.empty());
        CHECK(worker.used() == 0);
    }
}
