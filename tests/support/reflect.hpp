// A reflect agent for tests: a model that is a function, tools that are functions, and a run on the test's clock.
#pragma once
#include "steps/agents/reflect/events.hpp"
#include "tests/support/react.hpp"
#include "workflows/reflect.hpp"

namespace test {
/// The parts of a request of the reflect agent.
struct Request {
    std::string system, text, question;  // `text`: all text after the system prompt
    enum Kind { reflection, action, decomposition, summary } kind = reflection;
};
inline Request read_request(const models::ChatRequest& request) {
    Request read;
    read.system = request.messages.front().content;
    for (std::size_t i = 1; i < request.messages.size(); ++i) read.text += request.messages[i].content + '\n';
    const auto& first = request.messages.at(1).content;
    const auto at = first.rfind("QUESTION\n");
    read.question = at == first.npos ? "" : first.substr(at + 9, first.find("\n\n", at) - at - 9);
    read.kind = read.system.find("Now you reflect") != std::string::npos           ? Request::reflection
                : read.system.find("Now you act") != std::string::npos             ? Request::action
                : read.system.find("Take the question apart") != std::string::npos ? Request::decomposition
                                                                                   : Request::summary;
    return read;
}
inline std::string request(std::string_view name, const nlohmann::json& argument = nullptr) {
    return nlohmann::json{{"request", name}, {"argument", argument}}.dump();
}
/// A model that gives reflections itself, and all other replies by the function.
class Thinking final : public models::ChatModel {
public:
    using Reply = std::function<std::string(const Request&)>;
    explicit Thinking(Reply reply) : reply_(std::move(reply)) {}
    using ChatModel::chat;
    std::string name() const override { return "thinking"; }
    awaitable<models::ChatReply> chat(const models::ChatRequest& request, const models::OnDelta&) override {
        requests.push_back(request);
        const auto read = read_request(request);
        if (delay) {
            const auto wait = delay(read);
            if (wait.count()) co_await sleep_for(wait);
        }
        auto reply = say(read.kind == Request::reflection ? "REFLECTION >> I think about " + read.question
                                                          : reply_(read));
        co_return reply;
    }
    std::string reply_to(const Request& request) { return reply_(request); }
    std::vector<models::ChatRequest> requests;
    std::function<Duration(const Request&)> delay;

private:
    Reply reply_;
};

struct Reflected {
    std::vector<std::string> names;  // of the events without deltas
    std::vector<RequestEvent> requests;
    std::vector<ResultEvent> results;
    std::vector<RetryEvent> retries;
    std::vector<SubAnswerEvent> sub_answers;
    std::vector<SummaryEvent> summaries;
    std::vector<DecompositionEvent> decompositions;
    std::optional<AnswerOutcome> outcome;
    AnswerEvent result;
    std::string error;
    std::optional<Code> code;
};
inline void hear(Reflected& told, const AnyEvent& event) {
    if (!event.name().ends_with("DeltaEvent")) told.names.emplace_back(event.name());
    told.outcome = outcome_of(event);
    const auto keep = [&event]<class E>(std::vector<E>& all) {
        if (auto* one = event.get_if<E>()) all.push_back(*one);
    };
    keep(told.requests);
    keep(told.results);
    keep(told.retries);
    keep(told.sub_answers);
    keep(told.summaries);
    keep(told.decompositions);
    if (auto* answer = event.get_if<AnswerEvent>()) told.result = *answer;
    if (auto* failed = event.get_if<RunFailedEvent>()) {
        told.error = failed->step + ": " + failed->error;
        told.code = failed->code;
    }
}
template <class R> awaitable<void> reflect_listen(R run, Reflected& told) {
    while (auto event = co_await run.next_event()) hear(told, *event);
}

struct Reflector {
    tools::Registry tools;
    ConversationMemory memory;
    ReflectOptions options;
    testing::ManualClock clock;
    std::uint64_t asked = 0;

    Reflected ask(models::ChatModel& model, const std::string& question, const RunOptions& run_options = {},
                  const std::function<void(asio::io_context&, const std::function<void()>&)>& meanwhile = {}) {
        asio::io_context io{1};
        Loop loop(Runtime{io.get_executor(), &clock}, {.seed = ++asked});
        const auto agent = workflows::reflect.with(model, memory, tools, options);
        UserMessageEvent start;
        start.text = question;
        Reflected told;
        auto run = loop.start(agent, start, run_options);
        spawn(io.get_executor(), reflect_listen(run, told), asio::detached);
        if (meanwhile) meanwhile(io, [&run] { run.cancel(); });
        testing::drive(io, clock);
        return told;
    }
};
}
