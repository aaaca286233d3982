// a_collector_goes_on_with_the_first_one_or_more
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
inline constexpr auto vote = workflow("vote", step<ask_all>, step<ask>, step<decide>.first(0));
#else
inline constexpr auto vote = workflow("vote", step<ask_all>, step<ask>, step<decide>.first(1));
#endif
