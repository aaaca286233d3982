#include "tests/steps/situations/cells.hpp"
#include "steps/agents/common/answer_form.hpp"
#include "steps/models/http/http_model.hpp"
#include "tests/support/reflect.hpp"
#include "tests/support/rude_server.hpp"
#include "tests/support/tool_agent.hpp"
#include "workflows/plain_answer.hpp"

namespace situations {
namespace {
using namespace test;
const std::string tool_said = "the sum is known";

std::shared_ptr<const AnswerForm> form() {
    return std::make_shared<const AnswerForm>(nlohmann::json::parse(
        R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false})"));
}
Outcome outcome_of(const Told& told) { return {told.result.response, told.error}; }
Outcome ask(const Cell& cell, models::ChatModel& model, const tools::Registry& tools) {
    const std::string question = "What is 6 * 7?";
    const auto prepare = [](ReactOptions& options) {
        options.system = "Be brief.";
        options.sampling.temperature = 0.5;
        options.sampling.seed = 7;
    };
    if (cell.agent == AgentKind::react) {
        Agent agent;
        agent.tools = tools;
        prepare(agent.options);
        return outcome_of(agent.ask(model, question));
    }
    if (cell.agent == AgentKind::reflect) {
        Reflector agent;
        agent.tools = tools;
        prepare(agent.options);
        const auto told = agent.ask(model, question);
        return {told.result.response, told.error};
    }
    if (cell.calls()) {
        NativeAgent agent;
        agent.tools = tools;
        prepare(agent.options);
        if (cell.agent == AgentKind::schema) agent.options.form = form();
        return outcome_of(agent.ask(model, question));
    }
    asio::io_context io{1};
    testing::ManualClock clock;
    Loop loop(Runtime{io.get_executor(), &clock}, {.seed = 1});
    ReactOptions options;
    prepare(options);
    Told told;
    UserMessageEvent start;
    start.text = question;
    const auto plain = workflows::plain_answer.with(model, options);
    spawn(io.get_executor(), listen(loop.start(plain, start), told), asio::detached);
    testing::drive(io, clock);
    return outcome_of(told);
}
}

std::string Cell::name() const {
    static constexpr const char* names[] = {"react", "agent", "reflect", "plain", "schema"};
    return std::string(protocol->name) + (streamed ? " / streamed / " : " / whole / ") + names[int(agent)];
}
std::string expected_answer(const Cell& cell) { return cell.agent == AgentKind::schema ? R"({"n":42})" : answer_text; }
std::vector<std::string> expected_runs(const Cell& cell) {
    if (cell.agent == AgentKind::plain) return {};
    return cell.calls() ? std::vector<std::string>{"6*7", "6*8"} : std::vector<std::string>{"6*7"};
}
Said sound_reply(const Cell& cell, const Asked& asked) {
    const bool known = asked.has(tool_said);
    const std::string first = R"({"e":"6*7"})";
    switch (cell.agent) {
    case AgentKind::plain: return {answer_text};
    case AgentKind::react:
        return {known ? "Thought: I know it.\nAnswer: " + answer_text
                      : "Thought: I calculate.\nAction: sum\nAction Input: " + first};
    case AgentKind::reflect:
        if (asked.has("Now you reflect")) return {"REFLECTION >> I think about it."};
        return {known ? request("final_answer", answer_text) : request("sum", nlohmann::json::parse(first))};
    case AgentKind::agent:
    case AgentKind::schema: break;
    }
    if (known) return {expected_answer(cell)};
    return {"", "", {{"a1", "sum", first}, {"a2", "sum", R"({"e":"6*8"})"}}};
}
Outcome run_cell(const Cell& cell, const Serve& serve) {
    Outcome outcome;
    std::vector<std::string> ran;
    tools::Registry tools;
    add_tool(tools, "sum", [&](const nlohmann::json& arguments) -> tools::Observation {
        ran.push_back(arguments.value("e", arguments.dump()));
        return tools::Observation{tool_said};
    });
    std::atomic<int> requests = 0;
    const testing::RudeServer::Session session = [&](testing::Peer& peer) {
        for (;;) {
            const auto text = peer.read_request();
            if (text.empty()) return;
            const auto body = serve({text, requests++});
            if (!peer.answer(body.status, body.bytes, body.headers)) return;
        }
    };
    {
        testing::RudeServer server({session});
        models::HttpModelOptions options;
        options.name = std::string(cell.protocol->name) + ":m";
        options.model = "m";
        options.protocol = cell.protocol;
        options.base = server.url("/v1");
        options.stream = cell.streamed;
        options.chance = [] { return 0.5; };
        options.limiter = std::make_shared<models::Limiter>();
        options.allowance = std::make_shared<models::RetryAllowance>();
        models::HttpModel model(options);
        outcome = ask(cell, model, tools);
    }
    std::sort(ran.begin(), ran.end());
    outcome.ran = std::move(ran);
    outcome.requests = requests;
    return outcome;
}
}
