// Workload E: a process that runs one workflow of one step. With any argument it prints its peak memory in MiB.
#include "engine/run.hpp"
#include "engine/workflow.hpp"
#include "tests/bench/measure.hpp"
using namespace weft;

struct NameEvent : StartEvent {
    std::string text;
};
struct GreetingEvent : StopEvent {
    std::string text;
};

GreetingEvent greet(Context&, NameEvent name) { return {.text = "Hello, " + name.text}; }

inline constexpr auto hello = workflow("hello", step<greet>);

int main(int count, char**) {
    require(run(hello, {.text = "World"}).text == "Hello, World", "E");
    if (count > 1) std::printf("%.2f\n", peak_rss_mib());
}
