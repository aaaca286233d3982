// A quorum: the collector runs with the first two answers, and the engine cancels the others.
#include "engine/run.hpp"
#include "engine/timeout.hpp"
#include <iostream>
using namespace weft;
using namespace std::chrono_literals;

struct QuestionEvent : StartEvent {
    std::vector<std::string> experts;
};
struct AskEvent {
    std::string expert;
};
struct OpinionEvent {
    std::string text;
};
struct AdviceEvent : StopEvent {
    std::string text;
};

std::vector<AskEvent> ask_all(Context&, QuestionEvent question) {
    std::vector<AskEvent> all;
    for (auto& expert : question.experts) all.push_back({expert});
    return all;
}
// [steps]
awaitable<OpinionEvent> ask(Context&, AskEvent ask) {
    try {
        co_await sleep_for(ask.expert == "Bob" ? 24h : 1ms);  // Bob is slow
    } catch (...) {
        std::cout << ask.expert << " is not needed any more\n";
        throw;
    }
    co_return OpinionEvent{ask.expert + " says yes"};
}
AdviceEvent advise(Context&, std::vector<OpinionEvent> opinions) {
    std::string text = std::to_string(opinions.size()) + " opinions";
    for (auto& opinion : opinions) text += "; " + opinion.text;
    return {.text = text};
}
inline constexpr auto council = workflow("council", step<ask_all>, step<ask>.workers(8), step<advise>.first(2));
// [/steps]

int main() {
    // [run]
    std::cout << run(council, {.experts = {"Ada", "Bob", "Cleo"}}).text << '\n';
    std::cout << run(council, {.experts = {"Ada"}}).text << '\n';
    // [/run]
}
// prints:
// Bob is not needed any more
// 2 opinions; Ada says yes; Cleo says yes
// 1 opinions; Ada says yes
