// Answers<E> is for questions only
#include "engine/workflow.hpp"
using namespace weft;
#ifdef WRONG
struct QuestionEvent {};
#else
struct QuestionEvent : InputRequiredEvent {};
#endif
struct AnswerEvent : Answers<QuestionEvent> {};
bool answered(const AnswerEvent&);
