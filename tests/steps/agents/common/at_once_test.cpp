// A reply that arrives in one piece, such as a reply recorded before a crash.
#include "engine/event_json.hpp"
#include "tests/support/reflect.hpp"
#include "tests/support/tool_agent.hpp"
#include "workflows/plain_answer.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
enum class Way { at_once, in_pieces, begun_anew };
/// A model that gives the same reply in each way.
class Saying final : public models::ChatModel {
public:
    Saying(Way way, std::vector<models::ChatReply> replies) : way_(way), replies_(std::move(replies)) {}
    using ChatModel::chat;
    std::string name() const override { return "saying"; }
    awaitable<models::ChatReply> chat(const models::ChatRequest& request, const models::OnDelta& on_delta) override {
        auto reply = replies_.at(std::min(next_++, replies_.size() - 1));
        if (way_ == Way::begun_anew && on_delta) {
            on_delta(std::string_view(reply.text).substr(0, 9));
            request.on_note({models::CallNote::Kind::restart, "saying", "it broke off"});
        }
        if (way_ == Way::in_pieces) tell(request, on_delta, reply);
        co_return reply;
    }

private:
    static void tell(const models::ChatRequest& request, const models::OnDelta& on_delta,
                     const models::ChatReply& reply) {
        if (request.on_reasoning && !reply.reasoning.empty()) request.on_reasoning(reply.reasoning);
        for (std::string_view rest = reply.text; on_delta && !rest.empty();) {
            on_delta(rest.substr(0, 5));
            rest.remove_prefix(std::min<std::size_t>(rest.size(), 5));
        }
    }
    const Way way_;
    const std::vector<models::ChatReply> replies_;
    std::size_t next_ = 0;
};
/// A run's pieces, joined for each kind, and its answer.
using Stream = std::vector<std::pair<std::string, std::string>>;
template <class R> awaitable<void> gather(R run, Stream& told) {
    while (auto event = co_await run.next_event()) {
        const std::string name(event->name());
        if (auto* answer = event->template get_if<AnswerEvent>()) told.emplace_back(name, answer->response);
        if (name.find("DeltaEvent") == name.npos) continue;
        const auto text = to_json(*event).at("text").template get<std::string>();
        if (told.empty() || told.back().first != name) told.emplace_back(name, "");
        told.back().second += text;
    }
}
template <class Agent> Stream run_agent(const Agent& agent) {
    testing::ManualClock clock;
    asio::io_context io{1};
    Loop loop(Runtime{io.get_executor(), &clock}, {.seed = 1});
    UserMessageEvent question;
    question.text = "What is 6 * 7?";
    Stream told;
    spawn(io.get_executor(), gather(loop.start(agent, question), told), asio::detached);
    testing::drive(io, clock);
    return told;
}
models::ChatReply reasoned(std::string text) {
    auto reply = say(std::move(text));
    reply.reasoning = "Six sevens.";
    return reply;
}
struct Agents {
    tools::Registry tools;
    ConversationMemory memory;
    ReflectOptions reflect;
    ToolAgentOptions native;
    Stream react(Way way) {
        Saying model(way, {reasoned("Thought: easy\nAnswer: 42")});
        const auto agent = workflows::react.with(model, text_dialect, memory, tools, native);
        return run_agent(agent);
    }
    Stream tool_agent(Way way) {
        Saying model(way, {reasoned("It is 42.")});
        const auto agent = workflows::tool_agent.with(model, memory, tools, native);
        return run_agent(agent);
    }
    Stream plain(Way way) {
        Saying model(way, {reasoned("It is 42.")});
        const auto agent = workflows::plain_answer.with(model, native);
        return run_agent(agent);
    }
    Stream reflecting(Way way) {
        Saying model(way, {say("REFLECTION >> I know that by heart."), say(request("final_answer", "42"))});
        const auto agent = workflows::reflect.with(model, memory, tools, reflect);
        return run_agent(agent);
    }
};
}

// shows L-14
TEST_CASE("a reply in one piece is reported as one in several pieces") {
    for (const auto way : {Way::in_pieces, Way::at_once}) {
        CAPTURE(int(way));
        CHECK(Agents().react(way) ==
              Stream{{"ThoughtDeltaEvent", "Six sevens.\neasy"}, {"AnswerDeltaEvent", "42"}, {"AnswerEvent", "42"}});
        CHECK(Agents().tool_agent(way) == Stream{{"ThoughtDeltaEvent", "Six sevens."},
                                                 {"ReplyDeltaEvent", "It is 42."},
                                                 {"AnswerEvent", "It is 42."}});
        CHECK(Agents().plain(way) == Stream{{"AnswerDeltaEvent", "It is 42."}, {"AnswerEvent", "It is 42."}});
        CHECK(Agents().reflecting(way) ==
              Stream{{"ReflectionDeltaEvent", "I know that by heart."}, {"AnswerEvent", "42"}});
    }
}
TEST_CASE("a reply in one piece after a broken one is reported from its beginning") {
    CHECK(Agents().react(Way::begun_anew).back() == std::pair<std::string, std::string>("AnswerEvent", "42"));
    const auto plain = Agents().plain(Way::begun_anew);
    CHECK(plain.front().second == "It is 42.It is 42.");  // a CallNoteEvent voids the first pieces
    CHECK(Agents().reflecting(Way::begun_anew).back() == std::pair<std::string, std::string>("AnswerEvent", "42"));
}
