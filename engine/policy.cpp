#include "engine/policy.hpp"

namespace weft::check {
namespace {
[[noreturn]] void refuse(const char* sentence) { throw Error(Code::usage, sentence); }
}
void a_step_needs_at_least_one_worker() { refuse("a step needs at least one worker"); }
void a_step_has_at_most_1000000_workers() { refuse("a step has at most 1000000 workers"); }
void a_timeout_has_to_be_longer_than_nothing() { refuse("a timeout has to be longer than nothing"); }
void a_step_needs_at_least_one_attempt() { refuse("a step needs at least one attempt"); }
void a_step_makes_at_most_255_attempts() { refuse("a step makes at most 255 attempts"); }
void a_step_that_recovers_does_so_at_least_once() { refuse("a step that recovers does so at least once"); }
void a_step_recovers_at_most_255_times() { refuse("a step recovers at most 255 times"); }
}
