// Tools whose effect must not happen twice, in a durable run of an agent whose process dies anywhere.
#include "engine/durable.hpp"
#include "steps/agents/common/model_request.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/react.hpp"
#include "tools/at_most_once.hpp"
using namespace test;

TEST_CASE("a tool runs at most once for a call wherever the process dies, and an unknown outcome is reported") {
    int unknown = 0;
    for (long left = 1;; ++left) {
        CAPTURE(left);
        REQUIRE(left < 60);
        MemoryStore store;
        Agent agent;
        int sent = 0;
        agent.tools.add(tools::at_most_once(
            std::make_shared<FunctionTool>("send", [&](auto&) { return ++sent, tools::Observation{"sent"}; })));
        std::string told;
        test::AskedModel model([&](const models::ChatRequest& request) {
            const auto& last = request.messages.back().content;
            const auto at = last.find("Observation:");
            if (at == last.npos) return say("Thought: I send.\nAction: send\nAction Input: {}");
            told = last.substr(at);
            return say("Thought: I know.\nAnswer: Done.");
        });
        const auto bound = workflows::react.with(model, *agent.dialect, agent.memory, agent.tools, agent.options);
        const auto stored = durable(bound);
        UserMessageEvent question;
        question.text = "Send.";
        bool done = false;
        {
            dying::Dying dies(store, left);
            dying::Shop shop(dies);
            auto run = shop.loop.start(stored, question, {.id = "r"});
            shop.io.run();
            done = run.ended();
        }
        if (!done) dying::free_all(store);
        dying::Shop shop(store);
        auto run = dying::resume_on(shop.loop, stored, "r");
        shop.io.run();
        CHECK(run.outcome().response == "Done.");
        CHECK(sent <= 1);
        if (told.find("It may or may not have taken effect") != std::string::npos) ++unknown;
        else CHECK((sent == 1 && told.find("sent") != std::string::npos));
        if (done) break;
    }
    CHECK(unknown > 0);
}
TEST_CASE("a tool that runs at most once is unchanged without a store or a run") {
    int sent = 0;
    const auto tool = tools::at_most_once(
        std::make_shared<FunctionTool>("send", [&](auto&) { return ++sent, tools::Observation{"sent"}; }));
    const nlohmann::json none = nlohmann::json::object();
    CHECK(testing::await(tool->call(none)).text == "sent");
    Context ctx;
    const ReactOptions options;
    ToolAsker asker(ctx, options, real_clock());
    asker.begin_call("", "send", "", 0);
    CHECK(testing::await(tool->call(none, asker)).text == "sent");
    CHECK(sent == 2);
}
