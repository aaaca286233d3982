// Whole runs of the reflect workflow with sub-questions: in order, in parallel, and with failures.
#include "tests/support/reflect.hpp"
#include <doctest/doctest.h>
#include <map>
using namespace test;
using namespace std::chrono_literals;

namespace {
const std::string main_question = "How do the rivers compare?";
std::string sub_questions(const std::vector<std::string>& texts) {
    return nlohmann::json{{"sub_questions", texts}}.dump();
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A model that divides the main question once, measures each river with a tool, and reports the summary.
struct Rivers : Reflector {
    std::vector<std::string> asked{"How long is the Elbe?", "How long is the Rhine?", "How long is the Oder?"};
    std::map<std::string, std::string> instead;  // replacements of the reply to an action, by question
    std::vector<std::string> measured;
    Rivers() {
        add_tool(tools, "measure", [this](const nlohmann::json& a) {
            measured.push_back(a.value("argument", a.value("river", "?")));
            return tools::Observation{std::to_string(1000 + measured.size()) + " km"};
        });
    }
    Thinking model() {
        return Thinking([this](const Request& sent) -> std::string {
            if (const auto other = instead.find(sent.question); other != instead.end()) return other->second;
            switch (sent.kind) {
            case Request::reflection: return {};
            case Request::decomposition: return sub_questions(asked);
            case Request::summary: return R"({"summary": "Each has a length."})";
            case Request::action: break;
            }
            if (sent.question == main_question)
                return has(sent.text, "GENERATED RESPONSE TO SUBQUESTIONS >> Each has a length.")
                           ? request("final_answer", "They are compared.")
                           : request("decomposition", main_question);
            const auto own = sent.text.rfind("I think about " + sent.question);
            const auto before = sent.text.rfind(" km", own);
            if (before != std::string::npos && has(sent.text.substr(0, own), "I think about " + sent.question))
                return request("final_answer", sent.question + " " + sent.text.substr(before - 4, 7));
            return request("measure", {{"river", sent.question}});
        });
    }
};
std::vector<const models::ChatRequest*> about(const Thinking& model, const std::string& question, Request::Kind kind) {
    std::vector<const models::ChatRequest*> found;
    for (const auto& sent : model.requests) {
        const auto read = read_request(sent);
        if (read.question == question && read.kind == kind) found.push_back(&sent);
    }
    return found;
}
}

// shows B-A06: every action of the prompts has code behind it
// shows A-15, A-16, A-18
TEST_CASE("sub-questions are answered in order, then summarised, and the main loop continues") {
    Rivers agent;
    auto model = agent.model();

    const auto told = agent.ask(model, main_question);

    INFO(told.error);
    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.result.response == "They are compared.");
    CHECK(agent.measured == agent.asked);
    REQUIRE(told.sub_answers.size() == 3);
    for (int i = 0; i < 3; ++i) {
        CHECK(told.sub_answers[std::size_t(i)].sub_question == i + 1);
        CHECK(told.sub_answers[std::size_t(i)].outcome == AnswerOutcome::answered);
    }
    CHECK(told.sub_answers[1].text == "How long is the Rhine? 1002 km");
    REQUIRE(told.summaries.size() == 1);
    const auto summary = model.requests[model.requests.size() - 3];
    CHECK(summary.messages.back().content ==
          "QUESTION\n" + main_question +
              "\n\nSUBQUESTION 1\nHow long is the Elbe?\nANSWER 1\nHow long is the Elbe? 1001 km"
              "\n\nSUBQUESTION 2\nHow long is the Rhine?\nANSWER 2\nHow long is the Rhine? 1002 km"
              "\n\nSUBQUESTION 3\nHow long is the Oder?\nANSWER 3\nHow long is the Oder? 1003 km");
    CHECK(told.result.sources.size() == 3);
    CHECK(told.result.sources[1].call == "sub_2_call_1");
    CHECK(told.result.usage.prompt_tokens == std::int64_t(10 * model.requests.size()));
    CHECK(told.result.steps == 2);
}
TEST_CASE("a sub-question has the findings before it, and the main loop has all findings") {
    Rivers agent;
    auto model = agent.model();
    agent.ask(model, main_question);

    const auto second = about(model, agent.asked[1], Request::reflection).front()->messages[1].content;
    CHECK(has(second, "MAIN QUESTION >> " + main_question));
    CHECK(has(second, "SUBQUESTION 1 >> How long is the Elbe?\nREFLECTION >> I think about How long is the Elbe?\n"
                      "ACTION >> measure\nARGUMENT >> How long is the Elbe?\nOBSERVATION >> 1001 km\n"));
    CHECK(has(second, "ANSWER TO SUBQUESTION 1 >> How long is the Elbe? 1001 km"));
    CHECK(!has(second, "1002 km"));
    const auto last = model.requests.back().messages[1].content;
    for (const auto* part : {"1001 km", "1002 km", "1003 km", "GENERATED RESPONSE TO SUBQUESTIONS >> Each"})
        CHECK(has(last, part));
}
TEST_CASE("sub-questions run in parallel with options.parallel, and do not see each other") {
    Rivers agent;
    agent.options.parallel = true;
    auto model = agent.model();
    model.delay = [](const Request& sent) { return Duration(has(sent.question, "Elbe") ? 3h : 1h); };

    const auto begin = agent.clock.now();
    const auto told = agent.ask(model, main_question);
    const auto took = agent.clock.now() - begin;

    INFO(told.error);
    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(agent.measured.back() == agent.asked[0]);  // the slowest one
    CHECK(told.sub_answers.back().sub_question == 1);
    // Main loop: 2 + 2 calls, decomposition and summary, an hour each; meanwhile 4 calls about the Elbe, 3 h each.
    CHECK(took == 6h + 12h);
    for (const auto& question : agent.asked)
        for (const auto* sent : about(model, question, Request::reflection)) {
            CHECK(!has(sent->messages[1].content, "SUBQUESTION"));
            CHECK(has(sent->messages[1].content, "ACTION >> decomposition"));
        }
    const auto summary = model.requests[model.requests.size() - 3].messages.back().content;
    CHECK(summary.find("ANSWER 1\nHow long is the Elbe?") < summary.find("ANSWER 2\nHow long is the Rhine?"));
    CHECK(told.result.sources.size() == 3);
}
// shows A-33
TEST_CASE("at most three sub-questions are answered, and the main loop gets the names of the others") {
    Rivers agent;
    agent.asked = {"a?", "b?", "c?", "d?", "e?"};
    auto model = agent.model();

    const auto told = agent.ask(model, main_question);

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.decompositions.at(0).sub_questions == std::vector<std::string>{"a?", "b?", "c?"});
    CHECK(told.sub_answers.size() == 3);
    CHECK(has(model.requests.back().messages[1].content,
              "NOTE >> only the first 3 sub-questions were answered. Not asked: d? | e?"));
}
// shows A-17, B-A16
TEST_CASE("a sub-question is never decomposed, and its prompt does not offer it") {
    Rivers agent;
    agent.options.max_steps = 3;
    agent.instead["How long is the Rhine?"] = request("decomposition", "How long is the Rhine?");
    auto model = agent.model();

    const auto told = agent.ask(model, main_question);

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.decompositions.size() == 1);
    REQUIRE(told.results.size() == 5);
    CHECK(told.results[1].request == "decomposition");
    CHECK(told.results[1].sub_question == 2);
    CHECK(told.results[1].text ==
          "Error: a sub-question is not decomposed any further: use a tool, or give the final answer");
    CHECK(told.sub_answers[1].outcome == AnswerOutcome::limit);
    for (const auto& sent : model.requests) {
        const auto read = read_request(sent);
        if (read.kind == Request::reflection || read.kind == Request::action)
            CHECK(has(read.system, "AVAILABLE ASSISTANTS") == (read.question == main_question));
    }
}
TEST_CASE("a run decomposes as often as its options allow, and then gets a note of the limit") {
    Rivers agent;
    agent.asked = {"a?"};
    agent.options.max_decompositions = 1;
    agent.options.max_steps = 3;
    auto model = Thinking([&](const Request& sent) -> std::string {
        if (sent.kind == Request::decomposition) return sub_questions(agent.asked);
        if (sent.kind == Request::summary) return R"({"summary": "Short."})";
        return sent.question == main_question && !has(sent.text, "no turns left") ? request("decomposition")
                                                                                  : request("final_answer", "Enough.");
    });

    const auto told = agent.ask(model, main_question);

    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.result.response == "Enough.");
    CHECK(told.decompositions.size() == 1);
    REQUIRE(told.results.size() == 2);
    CHECK(has(told.results[0].text, "there have been 1 decompositions"));
}
// shows B-A12
TEST_CASE("a failing sub-question is reported to the summary and the main loop, with its findings") {
    Rivers agent;
    auto good = agent.model();
    Thinking model([&](const Request& sent) -> std::string {
        if (sent.kind == Request::action && has(sent.question, "Rhine") && has(sent.text, "1002 km")) return "no idea";
        return good.reply_to(sent);
    });

    const auto told = agent.ask(model, main_question);

    INFO(told.error);
    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.sub_answers[1].outcome == AnswerOutcome::failed);
    CHECK(has(told.sub_answers[1].text, "3 replies of the model in a row could not be followed"));
    const auto summary = model.requests[model.requests.size() - 3].messages.back().content;
    CHECK(has(summary, "ANSWER 2\n(not answered, because this failed: 3 replies of the model"));
    const auto last = model.requests.back().messages[1].content;
    CHECK(has(last, "OBSERVATION >> 1002 km"));
    CHECK(has(last, "ANSWER TO SUBQUESTION 2 >> (not answered"));
    CHECK(told.result.sources.size() == 3);
    for (const auto& sent : model.requests) CHECK(!has(sent.messages.back().content, "None"));
}
TEST_CASE("a decomposition without any answer has an observation of that instead of a summary") {
    Rivers agent;
    for (const auto& question : agent.asked) agent.instead[question] = "no idea";
    agent.options.max_steps = 1;
    auto model = agent.model();

    const auto told = agent.ask(model, main_question);

    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.summaries.empty());
    REQUIRE(told.results.size() == 1);
    CHECK(!told.results[0].ok);
    CHECK(has(told.results[0].text, "none of the sub-questions has an answer"));
}
// shows B-A15
TEST_CASE("a decomposition and a summary have three tries each, with feedback, and then a typed failure") {
    for (const auto kind : {Request::decomposition, Request::summary})
        for (const int bad : {2, 3}) {
            Rivers agent;
            auto good = agent.model();
            int left = bad;
            Thinking model([&](const Request& sent) -> std::string {
                if (sent.kind == kind && left-- > 0) return "{\"other\": 1}";
                return good.reply_to(sent);
            });

            const auto told = agent.ask(model, main_question);

            CHECK(told.retries.size() == std::size_t(bad));
            CHECK(told.outcome == (bad == 3 ? AnswerOutcome::failed : AnswerOutcome::answered));
            if (bad == 3) CHECK(told.code == Code::model_failed);
            CHECK(has(told.retries[0].error, "the JSON object has no \"su"));
        }
}
TEST_CASE("a deadline and a cancel reach the runs of sub-questions") {
    for (const bool parallel : {false, true}) {
        Rivers agent;
        agent.options.parallel = parallel;
        auto model = agent.model();
        model.delay = [](const Request& sent) { return Duration(has(sent.question, "How long") ? 1h : 0h); };

        const auto late = agent.ask(model, main_question, {.timeout = 60s});
        const auto stopped = agent.ask(model, main_question, {}, [](auto& io, const auto& cancel) {
            io.poll();
            cancel();
        });

        CHECK(late.outcome == AnswerOutcome::timed_out);
        CHECK(stopped.outcome == AnswerOutcome::cancelled);
        CHECK(has(stopped.names[stopped.names.size() - 2], "SubQuestionEvent"));
        CHECK(agent.memory.read("").empty());
    }
}
// shows A-24
TEST_CASE("answers of sub-questions are remembered before the question's, unless an option forbids it") {
    for (const bool both : {true, false}) {
        Rivers agent;
        agent.options.remember_sub_answers = both;
        auto model = agent.model();

        agent.ask(model, main_question);

        const auto remembered = agent.memory.read("");
        REQUIRE(remembered.size() == (both ? 8 : 2));
        CHECK(remembered[0].content == (both ? agent.asked[0] : main_question));
        CHECK(remembered.back().content == "They are compared.");
    }
}
// shows A-36: sub-questions use the budget of their question, also when they fail
TEST_CASE("a budget covers all sub-questions together, one after another or in parallel") {
    for (const bool parallel : {false, true})
        for (const int requests : {2, 4, 8, 12, 16}) {
            Rivers agent;
            agent.options.parallel = parallel;
            agent.options.budget.requests = requests;
            auto model = agent.model();
            const auto told = agent.ask(model, main_question);
            CAPTURE(parallel);
            CAPTURE(requests);
            CAPTURE(told.error);
            CHECK(told.outcome == (requests < 16 ? AnswerOutcome::limit : told.outcome));
            CHECK(int(model.requests.size()) <= requests);
            CHECK(told.result.requests == int(model.requests.size()));
        }
}
