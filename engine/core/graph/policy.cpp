// These functions throw if a policy is made at run time. In a constant expression the call itself is an error that
// shows the function's name, so each name is a sentence.
#include "engine/core/graph/policy.hpp"

namespace weft::core::check {
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
void a_collector_goes_on_with_the_first_one_or_more() {
    refuse("a collector continues with the first one or more branches: first(n) needs n of at least 1");
}
void a_workflow_has_at_least_one_run_at_once() {
    refuse("a workflow has at least one run at once: runs_at_once(n) needs n of at least 1");
}
void a_workflow_has_a_name() { refuse("a workflow has a name: workflow(\"refund\", step<f>)"); }
void two_steps_handle_the_failures_of_one_step() {
    refuse("two steps handle the failures of one step: let one of them name its steps by of<...>(), or ask for the "
           "failed event by FailedEvent");
}
void of_names_a_step_that_is_not_in_this_workflow() { refuse("of<...>() names a step that is not in this workflow"); }
void of_names_a_step_whose_failures_do_not_fit_the_handler() {
    refuse("of<...>() names a step whose failures do not fit the handler: it accepts FailedEvent of another event, or "
           "names itself");
}
}
