// Notifications of observers about an agent's requests and calls of tools.
#include "engine/observer.hpp"
#include "steps/agents/common/llm_tool.hpp"
#include "steps/models/model_error.hpp"
#include "tests/support/tool_agent.hpp"
#include <doctest/doctest.h>
#include <map>
using namespace test;

namespace {
const std::string trace = "00-5b8efff798038103d269b633813fc60c-0000000000000001-01";
struct Heard {
    std::string kind, name, error;
    std::uint64_t number = 0, parent = 0;
    std::map<std::string, std::string> attributes;
};
struct Hearing : Observer {
    std::vector<Heard> all;
    bool content = false;
    static std::string text_of(const Attribute& attribute) {
        if (auto* text = std::get_if<std::string_view>(&attribute.value)) return std::string(*text);
        if (auto* number = std::get_if<std::int64_t>(&attribute.value)) return std::to_string(*number);
        if (auto* number = std::get_if<double>(&attribute.value)) return std::to_string(*number);
        if (auto* list = std::get_if<std::span<const std::string_view>>(&attribute.value))
            return std::string(list->front());
        return "true";
    }
    void operation_started(OperationInfo& operation) noexcept override { operation.traceparent = trace; }
    void operation_ended(const OperationInfo& operation) noexcept override {
        Heard heard{std::string(operation.kind),
                    std::string(operation.name),
                    std::string(operation.error_type),
                    operation.number,
                    operation.parent,
                    {}};
        for (const auto& attribute : operation.attributes)
            heard.attributes[std::string(attribute.key)] = text_of(attribute);
        all.push_back(std::move(heard));
    }
    bool wants_content() const noexcept override { return content; }
    const Heard& only(const std::string& kind, const std::string& name) const {
        const Heard* found = nullptr;
        for (const auto& heard : all)
            if (heard.kind == kind && heard.name == name) {
                REQUIRE_FALSE(found);
                found = &heard;
            }
        REQUIRE(found);
        return *found;
    }
    std::string everything() const {
        std::string text;
        for (const auto& heard : all)
            for (const auto& [key, value] : heard.attributes) text += key + "=" + value + "\n";
        return text;
    }
};
struct NamedModel final : models::ChatModel {
    AskedModel inner;
    explicit NamedModel(AskedModel::Answer answer) : inner(std::move(answer)) {}
    using ChatModel::chat;
    std::string name() const override { return "acme:big:1, else acme:small"; }
    awaitable<models::ChatReply> chat(const models::ChatRequest& request, const models::OnDelta& on) override {
        return inner.chat(request, on);
    }
};
/// A model that adds, uses a model by a tool, calls an unknown tool, and answers.
models::ChatReply next_reply(const models::ChatRequest& request) {
    if (request.messages.back().content == "a secret question") return say("a secret opinion");
    int results = 0;
    for (const auto& message : request.messages) results += message.role == models::Role::tool ? 1 : 0;
    models::ChatReply reply = say("a secret answer");
    if (results == 0)
        reply = calls({{"1", "add", R"({"a": "a secret argument"})"},
                       {"2", "llm_tool", R"({"input": "a secret question"})"},
                       {"3", "wrong", "{}"},
                       {"4", "none", "{}"}});
    reply.model = "big-2026";
    reply.request_id = "r-7";
    reply.usage = {100, 20, 30, 5};
    return reply;
}
Hearing hear_agent(bool content, NamedModel& model) {
    NativeAgent agent;
    agent.options.sampling.temperature = 0.5;
    agent.options.sampling.max_tokens = 77;
    agent.add("add", [](const auto&) { return tools::Observation{"a secret result"}; });
    agent.add("wrong", [](const auto&) -> tools::Observation { throw tools::ToolError("a secret mistake"); });
    agent.add(llm_tool(model, {}));
    Hearing hearing;
    hearing.content = content;
    asio::io_context io{1};
    Loop loop(Runtime{io.get_executor(), &agent.clock}, {.seed = 1, .observer = &hearing});
    Told told;
    UserMessageEvent question;
    question.text = "a secret prompt";
    const auto workflow = workflows::tool_agent.with(model, agent.memory, agent.tools, agent.options);
    spawn(io.get_executor(), listen(loop.start(workflow, question), told), asio::detached);
    testing::drive(io, agent.clock);
    CHECK(told.result.response == "a secret answer");
    return hearing;
}
}
TEST_CASE("each request to a model and each call of a tool is an operation with the attributes of the conventions") {
    NamedModel model(next_reply);
    const auto hearing = hear_agent(false, model);
    std::vector<const Heard*> chats;
    for (const auto& heard : hearing.all)
        if (heard.kind == "chat") chats.push_back(&heard);
    REQUIRE(chats.size() == 3);
    const auto& chat = *chats.back();
    CHECK(chat.name == "big:1");
    CHECK(chat.parent == 0);
    using Attributes = std::map<std::string, std::string>;
    CHECK(chat.attributes == Attributes{{"gen_ai.operation.name", "chat"},
                                        {"gen_ai.provider.name", "acme"},
                                        {"gen_ai.request.model", "big:1"},
                                        {"gen_ai.request.max_tokens", "77"},
                                        {"gen_ai.request.temperature", "0.500000"},
                                        {"gen_ai.response.model", "big-2026"},
                                        {"gen_ai.response.id", "r-7"},
                                        {"gen_ai.response.finish_reasons", "stop"},
                                        {"gen_ai.usage.input_tokens", "100"},
                                        {"gen_ai.usage.output_tokens", "20"},
                                        {"gen_ai.usage.cache_read.input_tokens", "30"},
                                        {"gen_ai.usage.reasoning.output_tokens", "5"},
                                        {"weft.request.attempts", "1"}});
    const auto& add = hearing.only("execute_tool", "add");
    CHECK(add.error.empty());
    CHECK(add.attributes.at("gen_ai.tool.name") == "add");
    CHECK(add.attributes.at("gen_ai.tool.type") == "function");
    CHECK(add.attributes.at("gen_ai.tool.description") == "Does add.");
    CHECK_FALSE(add.attributes.at("gen_ai.tool.call.id").empty());
    CHECK(hearing.only("execute_tool", "wrong").error == "tool_error");
    CHECK(hearing.only("execute_tool", "none").error == "unknown_tool");
    CHECK(chats.at(1)->parent == hearing.only("execute_tool", "llm_tool").number);
    for (const auto& request : model.inner.requests) CHECK(request.traceparent == trace);
}
TEST_CASE("prompts, arguments and observations reach only an observer that requests them") {
    NamedModel model(next_reply);
    CHECK(hear_agent(false, model).everything().find("secret") == std::string::npos);

    const auto hearing = hear_agent(true, model);
    const auto& add = hearing.only("execute_tool", "add");
    CHECK(add.attributes.at("gen_ai.tool.call.arguments") == R"({"a": "a secret argument"})");
    CHECK(add.attributes.at("gen_ai.tool.call.result") == "a secret result");
    const auto& last = hearing.all.back();
    const auto messages = nlohmann::json::parse(last.attributes.at("gen_ai.input.messages"));
    CHECK(messages.at(0).at("role") == "user");
    CHECK(messages.at(0).at("parts").at(0) == nlohmann::json{{"type", "text"}, {"content", "a secret prompt"}});
    CHECK(messages.at(1).at("parts").at(0).at("type") == "tool_call");
    CHECK(messages.at(2).at("parts").at(0).at("response") == "a secret result");
    const auto output = nlohmann::json::parse(last.attributes.at("gen_ai.output.messages"));
    CHECK(output.at(0).at("parts").at(0).at("content") == "a secret answer");
    CHECK(output.at(0).at("finish_reason") == "stop");
    CHECK(nlohmann::json::parse(last.attributes.at("gen_ai.system_instructions")).at(0).at("type") == "text");
}
TEST_CASE("a failing model is an operation with the failure") {
    Hearing hearing;
    AskedModel model([](const auto&) -> models::ChatReply {
        throw models::ModelError(Code::model_unreachable, "nobody is there", {});
    });
    Agent agent;
    RunOptions options;
    options.observer = &hearing;
    agent.ask(model, "What?", options);
    const auto& chat = hearing.only("chat", "asked");
    CHECK(chat.error == "model_unreachable");
    CHECK(chat.attributes.at("gen_ai.provider.name") == "weft");
}
TEST_CASE("a run without an observer forwards its traceparent") {
    AskedModel model([](const auto&) { return say("Thought: easy\nAnswer: 42"); });
    Agent agent;
    RunOptions options;
    options.traceparent = trace;
    options.tracestate = "a=b";
    CHECK(agent.ask(model, "What?", options).result.response == "42");
    CHECK(model.requests.at(0).traceparent == trace);
    CHECK(model.requests.at(0).tracestate == "a=b");
}
