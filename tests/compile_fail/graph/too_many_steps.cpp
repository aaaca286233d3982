// a workflow has at most 64 steps: make a part of it a workflow of its own
// lines: 60
#include "engine/workflow.hpp"
using namespace weft;
struct NameEvent : StartEvent {};
struct GreetingEvent : StopEvent {};
#define FOUR(each, n) each(n##0) each(n##1) each(n##2) each(n##3)
#define SIXTEEN(each, n) FOUR(each, n##0) FOUR(each, n##1) FOUR(each, n##2) FOUR(each, n##3)
#define SIXTY_THREE(each)                                                                                              \
    SIXTEEN(each, 0)                                                                                                   \
    SIXTEEN(each, 1) SIXTEEN(each, 2) FOUR(each, 30) FOUR(each, 31) FOUR(each, 32) each(330) each(331) each(332)
#define DECLARE(n) GreetingEvent greet_##n(Context&, NameEvent);
#define LIST(n) step<greet_##n>,
SIXTY_THREE(DECLARE)
void count(Context&, NameEvent);
void count_twice(Context&, NameEvent);
#ifdef WRONG
inline constexpr auto hello = workflow("hello", SIXTY_THREE(LIST) step<count>, step<count_twice>);
#else
inline constexpr auto hello = workflow("hello", SIXTY_THREE(LIST) step<count>);
#endif
