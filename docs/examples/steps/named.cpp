// A lambda as a step with a name.
#include "engine/named_step.hpp"
#include "engine/run.hpp"
#include <iostream>
using namespace weft;

struct NameEvent : StartEvent {
    std::string text;
};
struct GreetingEvent : StopEvent {
    std::string text;
};
// [named]
inline constexpr auto greet = named_step<"greet">(
    [](Context&, NameEvent name) -> GreetingEvent { return {.text = "Hello, " + name.text}; });
inline constexpr auto hello = workflow("hello", greet.workers(1));
// [/named]

int main() {
    Context ctx;
    std::cout << greet(ctx, {.text = "test"}).text << '\n' << run(hello, {.text = "World"}).text << '\n';
}
// prints:
// Hello, test
// Hello, World
