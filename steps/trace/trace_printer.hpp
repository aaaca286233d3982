// The trace of a react run as text, while it happens: thoughts, actions, observations, what went wrong.
//
//     TracePrinter trace([](std::string_view text) { std::cerr << text; }, {.colour = true});
//     while (auto event = co_await run.next_event()) trace.on(*event);
//
// Text of models and tools is neutralised, and its further lines are indented: nothing that they say can look like a
// label of the trace or reach the terminal as a command. Every call writes whole characters, and the end of the run a
// line break.
#pragma once
#include "steps/trace/neutralise.hpp"
#include <functional>

namespace weft {
class AnyEvent;
}
namespace weft::steps {
struct TraceOptions {
    bool colour = false;
    bool answer = false;                        // show the answer too; else it is for whoever reads the result
    std::size_t longest_observation = 4 << 10;  // bytes; what is left out is counted
};

class TracePrinter {
public:
    using Write = std::function<void(std::string_view)>;
    explicit TracePrinter(Write write, TraceOptions options = {}) : write_(std::move(write)), options_(options) {}
    void on(const AnyEvent&);

private:
    enum class Part { none, thought, action, input, answer };
    void piece(Part, std::string_view text);
    void open(std::string_view label, int colour);
    void close();
    void line(std::string_view label, int colour, std::string_view text, std::string_view note = {});
    void put(const std::string& safe);
    void observe(const std::string& text, bool ok, const std::string& note);
    bool talk(const AnyEvent&);
    bool act(const AnyEvent&);
    bool end(const AnyEvent&);

    Write write_;
    TraceOptions options_;
    Neutraliser plain_;
    Part part_ = Part::none;
    bool acted_ = false;  // the action of this turn has been shown
    int steps_ = 0;       // turns so far
};
}
