// A server's progress and questions during a call, in the context of its caller.
#include "engine/engine.hpp"
#include "engine/workflow.hpp"
#include "tests/tools/mcp/fake_server.hpp"
#include "tools/mcp/servers.hpp"
#include "tools/registry.hpp"
#include "tools/tool_context.hpp"
#include <doctest/doctest.h>
#include <thread>
using namespace weft;
using namespace weft::testing;
using namespace std::chrono_literals;
using tools::Observation;
using tools::Registry;

namespace {
/// A person who answers, or no person.
class Person final : public tools::ToolContext {
public:
    bool can_ask() const override { return is_there; }
    awaitable<tools::ToolAnswer> put(tools::ToolQuestion question) override {
        asked.push_back(std::move(question));
        const Open open(*this);
        co_await sleep_for(thinks);
        co_return answer;
    }
    awaitable<std::optional<Observation>> at_most_once(awaitable<Observation> work) override {
        std::optional<Observation> observation;
        if (!has_begun) observation = co_await std::move(work);
        co_return observation;
    }
    struct Open {
        explicit Open(Person& p) : person(p) { ++person.open; }
        ~Open() { --person.open; }
        Person& person;
    };
    int open = 0;  // questions
    bool is_there = true, has_begun = false;
    Duration thinks = 1s;
    tools::ToolAnswer answer;
    std::vector<tools::ToolQuestion> asked;
    std::vector<std::string> told;

private:
    void tell(ProgressReport one) override {
        told.push_back(std::to_string(int(one.done.value_or(-1))) + "/" + std::to_string(int(one.total.value_or(-1))) +
                       " " + one.text);
    }
};
mcp::ServersOptions reaching(std::shared_ptr<FakeServer> server) {
    mcp::ServersOptions options;
    options.reach = [server](const mcp::ServerEntry&) { return std::make_unique<FakeWay>(server); };
    return options;
}
/// Calls the server's only tool, on the loop of the server's client or on another one.
awaitable<Observation> call_here(std::shared_ptr<FakeServer> server, tools::ToolContext& context, Duration time,
                                 bool trusted) {
    auto options = reaching(std::move(server));
    options.runtime = *co_await this_runtime();
    std::vector<mcp::ServerEntry> entries{{.name = "a"}};
    entries[0].trusted = trusted;
    mcp::Servers remote(std::move(entries), std::move(options));
    auto listing = remote.list();
    const auto tools = co_await std::move(listing);
    Registry registry;
    registry.add(tools.at(0));
    auto calling = registry.call("a__read", "{}", context);
    Observation observation;
    try {
        observation = co_await with_timeout(time, std::move(calling));
    } catch (const Error& error) { observation.text = error.what(); }
    auto closing = remote.close();
    co_await std::move(closing);
    co_return observation;
}
Observation call(const std::shared_ptr<FakeServer>& server, tools::ToolContext& context, Duration time = 1h,
                 bool trusted = false) {
    ManualClock clock;
    return testing::await(call_here(server, context, time, trusted), clock);
}
std::shared_ptr<FakeServer> that_calls(FakeServer::Act act, json tool = plain_tool("read")) {
    return polite_server(
        {.tools = json::array({std::move(tool)}), .otherwise = [act](FakeServer& server, mcp::Request request) {
             return request.method == "tools/call" ? act(server, std::move(request))
                                                   : [](int) -> awaitable<mcp::Response> { co_return not_mine(); }(0);
         }});
}
struct LookEvent : StartEvent {};
struct LookedEvent : StopEvent {
    std::string text;
};
awaitable<LookedEvent> look(Context&, LookEvent, const Registry& tools) {
    Person person;
    person.thinks = 1h;
    auto calling = tools.call("a__read", "{}", person);
    const auto observation = co_await std::move(calling);
    LookedEvent looked;
    looked.text = observation.text;
    co_return looked;
}
constexpr auto look_once = workflow("look_once", step<look>);
json name_question() {
    return {{"message", "Whose?"},
            {"requestedSchema",
             {{"type", "object"}, {"properties", {{"name", {{"type", "string"}}}}}, {"required", {"name"}}}}};
}
/// A server that asks once, and returns the answer.
std::shared_ptr<FakeServer> that_asks() {
    return that_calls([](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        self.listener->asked({std::string("q1"), "elicitation/create", name_question()}, nullptr);
        while (self.answers.empty()) co_await sleep_for(100ms);
        const auto said = *self.answers.front().result();
        co_return mcp::success(request.id, text_result(said.dump()));
    });
}
}

TEST_CASE("a server's progress is the progress of the tool") {
    const auto server = that_calls([](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        for (int i = 1; i <= 2; ++i) {
            mcp::Notification told{"notifications/progress"};
            told.params = {{"progressToken", std::get<std::int64_t>(request.id)}, {"progress", i}, {"total", 2}};
            told.params["message"] = "part\u202e";
            self.listener->noticed(std::move(told), nullptr);
            co_await sleep_for(1s);
        }
        co_return mcp::success(request.id, text_result("done"));
    });
    Person person;
    CHECK(call(server, person) == Observation{"done"});
    CHECK(person.told == std::vector<std::string>{"1/2 part", "2/2 part"});
}
TEST_CASE("a server's question is asked within its call, which is made once") {
    const auto server = that_asks();
    Person person;
    person.answer.action = tools::AnswerAction::accept;
    person.answer.content.text = R"({"name": "Ada"})";
    const auto observation = call(server, person);
    CHECK(observation.text == R"({"action":"accept","content":{"name":"Ada"}})");
    REQUIRE(person.asked.size() == 1);
    CHECK(person.asked[0].from == "files");
    CHECK(person.asked[0].message == "Whose?");
    CHECK(json::parse(person.asked[0].form.text).at("required") == json::array({"name"}));
    CHECK(server->asked("tools/call") == 1);
}
TEST_CASE("an answer against the form makes a new question with the reason") {
    const auto server = that_asks();
    Person person;
    person.answer.action = tools::AnswerAction::accept;
    person.answer.content.text = "no JSON";
    CHECK(call(server, person).text == R"({"action":"cancel"})");
    REQUIRE(person.asked.size() == 3);
    CHECK(person.asked[0].mistake == "");
    CHECK(person.asked[1].mistake.find("name") != std::string::npos);
}
TEST_CASE("an unanswered question is declined, and the model gets a note; without a human there is no question") {
    const auto server = that_asks();
    Person nobody;  // for example, a run without a terminal
    const auto observation = call(server, nobody);
    CHECK(observation.text == "{\"action\":\"decline\"}\n[the server asked \"Whose?\", and no person was there to "
                              "answer, so it was declined]");
    Person away;
    away.is_there = false;
    const auto unasked = call(that_asks(), away);
    CHECK(away.asked.empty());
    CHECK(unasked.text == R"({"action":"cancel"})");
    CHECK(away.told ==
          std::vector<std::string>{"-1/-1 the server asked \"Whose?\", and took the question back, because no "
                                   "person can answer here: an agent's run asks it"});
}
TEST_CASE("a question ends with its call") {
    const auto server = that_calls([](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        self.listener->asked({std::string("q1"), "elicitation/create", name_question()}, nullptr);
        co_await sleep_for(2s);
        co_return mcp::success(request.id, text_result("done without you"));
    });
    Person person;
    person.thinks = 2h;
    ManualClock clock;
    const auto began = clock.now();
    const auto observation = testing::await(call_here(server, person, 5h, false), clock);
    CHECK(observation.text == "done without you");
    CHECK(clock.now() - began < 1min);
    CHECK(person.asked.size() == 1);
    CHECK(person.open == 0);
}
TEST_CASE("a call ends when its server asks without end, and the model gets the reason") {
    const auto server = that_calls([](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
        for (std::size_t i = 0; i < 200; ++i) {
            self.listener->asked({"q" + std::to_string(i), "elicitation/create", name_question()}, nullptr);
            while (self.answers.size() <= i) co_await sleep_for(1s);
        }
        co_return mcp::success(request.id, text_result("done"));
    });
    Person person;
    CHECK(call(server, person, 5h).text.find("more than 20 questions") != std::string::npos);
    CHECK(person.asked.size() == 20);
    CHECK(server->given_up.size() == 1);
}
TEST_CASE("a run cancels its call on the server before it ends by cancel or timeout") {
    const auto slow = that_calls([](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        co_await sleep_for(30s);
        co_return mcp::success(request.id, text_result("done"));
    });
    Person person;
    CHECK(call(slow, person, 5s).text.find("done") == std::string::npos);
    CHECK(slow->given_up.size() == 1);
    const auto asking = that_asks();
    person.thinks = 30s;
    CHECK(call(asking, person, 5s).text.find("accept") == std::string::npos);
    CHECK(person.asked.size() == 1);
    CHECK(asking->given_up.size() == 1);
}
TEST_CASE("a call of a dead process is not repeated, unless a trusted server declares it harmless") {
    auto tool = plain_tool("read");
    tool["annotations"] = {{"idempotentHint", true}};
    const auto act = [](FakeServer&, mcp::Request request) -> awaitable<mcp::Response> {
        co_return mcp::success(request.id, text_result("done"));
    };
    for (const bool trusted : {false, true}) {
        const auto server = that_calls(act, tool);
        Person person;
        person.has_begun = true;
        const auto observation = call(server, person, 1h, trusted);
        CHECK(server->asked("tools/call") == int(trusted));
        CHECK((observation.text.find("may or may not have taken effect") != std::string::npos) == !trusted);
    }
}
TEST_SUITE("threads") {
    TEST_CASE("progress and questions pass from the servers' thread to several loops at the same time") {
        const auto server = that_calls([](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
            mcp::Notification told{"notifications/progress"};
            told.params = {{"progressToken", std::get<std::int64_t>(request.id)}, {"progress", 1}};
            self.listener->noticed(std::move(told), nullptr);
            self.listener->asked({std::string("q") + std::to_string(std::get<std::int64_t>(request.id)),
                                  "elicitation/create", name_question()},
                                 &request.id);
            co_await sleep_for(5ms);
            while (self.answers.empty()) co_await sleep_for(1ms);
            co_return mcp::success(request.id, text_result("done"));
        });
        mcp::Servers servers({{.name = "a"}}, reaching(server));
        Registry registry;
        for (const auto& tool : servers.tools()) registry.add(tool);
        std::atomic<int> done = 0, told = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int n = 0; n < 10; ++n) {
                    Person person;
                    person.thinks = 1ms;
                    done += testing::await(registry.call("a__read", "{}", person)).ok;
                    told += int(person.told.size());
                }
            });
        for (auto& thread : threads) thread.join();
        CHECK(done == 40);
        CHECK(told > 0);
    }
    TEST_CASE("an engine may be destroyed during calls to servers that outlive it") {
        std::atomic<int> begun = 0;
        const auto server = that_calls([&](FakeServer& self, mcp::Request request) -> awaitable<mcp::Response> {
            ++begun;
            begun.notify_all();
            for (int i = 1; i <= 100'000; ++i) {
                mcp::Notification told{"notifications/progress"};
                told.params = {{"progressToken", std::get<std::int64_t>(request.id)}, {"progress", i}};
                self.listener->noticed(std::move(told), nullptr);
                if (i == 10) self.listener->asked({std::string("q"), "elicitation/create", name_question()}, nullptr);
                if (i % 20 == 0) co_await sleep_for(1ms);
            }
            co_return mcp::success(request.id, text_result("done"));
        });
        mcp::Servers servers({{.name = "a"}}, reaching(server));
        Registry registry;
        for (const auto& tool : servers.tools()) registry.add(tool);
        for (int n = 1; n <= 20; ++n) {
            Engine engine;
            auto run = engine.start(look_once.with(registry), LookEvent{});
            begun.wait(n - 1);
        }
        CHECK(begun == 20);
    }
}
