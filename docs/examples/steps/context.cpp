// The context: slots, failing edits without a trace, growing lists, and the stream.
#include "engine/run.hpp"
#include <iostream>
using namespace weft;

// [events]
struct WordsEvent : StartEvent {
    std::vector<std::string> words;
};
struct WordEvent {
    std::string word;
};
struct CountedEvent {};
struct SummaryEvent : StopEvent {
    std::string text;
};
struct ProgressEvent {
    std::string text;
};
// [/events]
// [slots]
struct Budget {
    int letters = 0;
    static Budget merge(const Budget& original, const Budget& committed, Budget& edited) {
        return {committed.letters + edited.letters - original.letters};
    }
};
struct Seen : Growing<std::string> {};
// [/slots]

// [split]
std::vector<WordEvent> split(Context&, WordsEvent text) {
    std::vector<WordEvent> all;
    for (auto& word : text.words) all.push_back({word});
    return all;
}
// [/split]
// [edit]
CountedEvent count(Context& ctx, WordEvent event) {
    ctx.edit<Budget>([&](auto& budget) { budget.letters += int(event.word.size()); });
    ctx.edit<Seen>([&](auto& seen) { seen.push_back(event.word); });
    if (event.word == "bad" && ctx.attempt() == 1) throw std::runtime_error("a word that fails once");
    ctx.stream(ProgressEvent{event.word});
    return {};
}
// [/edit]
// [get]
SummaryEvent sum(Context& ctx, std::vector<CountedEvent>) {
    std::string text;
    for (auto& word : ctx.get<Seen>()) text += word + " ";
    return {.text = text + std::to_string(ctx.get<Budget>().letters)};
}
// [/get]
// [program]
inline constexpr auto counting = workflow("counting", step<split>, step<count>.retry({.attempts = 2, .wait = {}}),
                                          step<sum>);

int main() { std::cout << run(counting, {.words = {"one", "bad", "three"}}).text << '\n'; }
// [/program]
// prints:
// one three bad 11
