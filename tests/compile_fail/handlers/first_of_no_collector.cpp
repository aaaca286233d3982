// only a step that accepts a vector continues with the first n of a fan-out
#include "engine/workflow.hpp"
using namespace weft;
struct QuestionEvent : StartEvent {};
struct AskEvent {};
struct ReplyEvent {};
struct AnswerEvent : StopEvent {};
std::vector<AskEvent> ask_all(Context&, QuestionEvent);
ReplyEvent ask(Context&, AskEvent);
AnswerEvent decide(Context&, std::vector<ReplyEvent>);
#ifdef WRONG
inline constexpr auto vote = workflow("vote", step<ask_all>, step<ask>.first(2), step<decide>);
#else
inline constexpr auto vote = workflow("vote", step<ask_all>, step<ask>, step<decide>.first(2));
#endif
