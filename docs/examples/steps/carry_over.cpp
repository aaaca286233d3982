// A chat: each run begins with the slots of the run before.
#include "engine/engine.hpp"
#include <iostream>
using namespace weft;

// [slots]
struct History : Growing<std::string> {};
struct Budget {
    int words = 0;
};
// [/slots]
struct QuestionEvent : StartEvent {
    std::string text;
};
struct ReplyEvent : StopEvent {
    std::string text;
};
// [step]
ReplyEvent reply(Context& ctx, QuestionEvent question) {
    if (ctx.get<Budget>().words == 0) return {.text = "not another word"};
    ctx.edit<Budget>([](auto& budget) { --budget.words; });
    ctx.edit<History>([&](auto& history) { history.push_back(question.text); });
    return {.text = "that was number " + std::to_string(ctx.get<History>().size())};
}
inline constexpr auto chat = workflow("chat", step<reply>);
// [/step]

// [child]
struct MeetingEvent : StartEvent {
    std::vector<std::string> questions;
};
struct MinutesEvent : StopEvent {
    std::string text;
};
awaitable<MinutesEvent> hold(Context& ctx, MeetingEvent meeting) {
    std::string minutes;
    for (auto& text : meeting.questions) {
        QuestionEvent question{.text = text};
        RunOptions options{.slots = slots(ctx.get<Budget>())};  // the child gets only this slot
        auto said = co_await ctx.run(chat, std::move(question), std::move(options));
        minutes += (minutes.empty() ? "" : ", ") + said.text;
    }
    co_return MinutesEvent{.text = minutes};
}
inline constexpr auto meeting = workflow("meeting", step<hold>);
// [/child]

int main() {
    // [seed]
    Engine engine;
    History before;
    before.push_back("what was said yesterday");
    auto first = engine.start(chat, {.text = "hello"}, {.slots = slots(Budget{2}, before)});
    std::cout << engine.wait(first.result()).text << '\n';
    // [/seed]
    // [carry]
    auto second = engine.start(chat, {.text = "and again"}, {.slots = first.slots()});
    std::cout << engine.wait(second.result()).text << '\n';
    // [/carry]
    // [read]
    auto left = second.slot<Budget>();
    std::cout << left.words << " words are left\n";
    auto third = engine.start(chat, {.text = "more"}, {.slots = second.slots<Budget>()});  // without the history
    std::cout << engine.wait(third.result()).text << '\n';
    // [/read]
    // [whole]
    std::cout << run(meeting, {.questions = {"who?", "why?"}}, {.slots = slots(Budget{1})}).text << '\n';
    // [/whole]
}
// prints:
// that was number 2
// that was number 3
// 0 words are left
// not another word
// that was number 1, that was number 1
