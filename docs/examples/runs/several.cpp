// Several open questions: each has an id, and answers may come in any order.
#include "engine/testing/recorder.hpp"
#include <iostream>
using namespace weft;

struct TripEvent : StartEvent {
    std::vector<std::string> travellers;
};
struct MealQuestionEvent : InputRequiredEvent {
    std::string name;
};
struct MealEvent : Answers<MealQuestionEvent> {
    std::string dish;
};
struct OrderedEvent {
    std::string dish;
};
struct MenuEvent : StopEvent {
    std::string text;
};
// [steps]
std::vector<MealQuestionEvent> ask(Context&, TripEvent trip) {
    std::vector<MealQuestionEvent> questions;
    for (auto& name : trip.travellers) questions.push_back({{}, name});
    return questions;
}
OrderedEvent order(Context&, MealEvent meal) { return {meal.dish}; }
MenuEvent serve(Context&, std::vector<OrderedEvent> dishes) {
    std::string text;
    for (auto& d : dishes) text += (text.empty() ? "" : ", ") + d.dish;
    return {.text = text};
}
inline constexpr auto trip = workflow("trip", step<ask>, step<order>, step<serve>);
// [/steps]

int main() {
    // [answers]
    std::vector<std::pair<std::string, QuestionId>> open;
    auto waiter = [&](auto& run, const AnyEvent& event) {
        if (auto* question = event.get_if<MealQuestionEvent>()) open.emplace_back(question->name, event.question());
        if (open.size() < 2) return;
        for (auto q = open.rbegin(); q != open.rend(); ++q)  // the last one first
            run.send(MealEvent{.dish = q->first + "'s soup"}, q->second);
        open.clear();
    };
    auto menu = testing::run(trip, {.travellers = {"Ada", "Bob"}}, {}, waiter);
    std::cout << menu.text << '\n';  // in the order of the questions
    // [/answers]
    // [unhandled]
    testing::Recorder seen;
    auto twice = [](auto& run, const AnyEvent& event) {
        if (!event.get_if<MealQuestionEvent>()) return;
        run.send(MealEvent{.dish = "soup"}, event.question());
        run.send(MealEvent{.dish = "soup again"}, event.question());  // the question is closed
    };
    testing::run(trip, {.travellers = {"Ada", "Bob"}}, {.recorder = &seen}, twice);
    for (auto& name : seen.names()) std::cout << name << '\n';
    // [/unhandled]
}
// prints:
// Ada's soup, Bob's soup
// MealQuestionEvent
// MealQuestionEvent
// UnhandledEvent
// UnhandledEvent
// MenuEvent
