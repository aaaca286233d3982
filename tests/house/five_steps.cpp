// Declares a workflow of five steps as in a header. compile_cost.py measures its cost, which users have in each build.
#include "engine/awaitable.hpp"
#include "engine/workflow.hpp"
#include <string>
using namespace weft;

struct Model;
struct Registry;
struct QuestionEvent : StartEvent {
    std::string text;
};
struct PrepEvent {};
struct InputEvent {
    std::string text;
};
struct CallEvent {
    std::string tool, arguments;
};
struct OutputEvent {
    std::string text;
};
struct AnswerEvent : StopEvent {
    std::string text;
};

PrepEvent new_question(Context&, QuestionEvent);
InputEvent prepare(Context&, PrepEvent);
awaitable<std::variant<std::vector<CallEvent>, PrepEvent, AnswerEvent>> ask_model(Context&, InputEvent, Model&);
awaitable<OutputEvent> call_tool(Context&, CallEvent, Registry&);
PrepEvent observe(Context&, std::vector<OutputEvent>);

inline constexpr auto agent = workflow("agent", step<new_question>, step<prepare>, step<ask_model>,
                                       step<call_tool>.workers(4), step<observe>);
