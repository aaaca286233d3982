// The smallest workflow: one step, from a start event to a stop event.
// [hello]
#include "engine/run.hpp"
#include "engine/workflow.hpp"
#include <iostream>
using namespace weft;

struct NameEvent : StartEvent {
    std::string text;
};
struct GreetingEvent : StopEvent {
    std::string text;
};

GreetingEvent greet(Context&, NameEvent name) { return {.text = "Hello, " + name.text}; }

inline constexpr auto hello = workflow("hello", step<greet>);

int main() { std::cout << run(hello, {.text = "World"}).text << '\n'; }
// [/hello]
// prints:
// Hello, World
