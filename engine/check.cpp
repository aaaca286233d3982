#include "engine/check.hpp"
#include "engine/error.hpp"

namespace weft {
void check::a_collector_goes_on_with_the_first_one_or_more() {
    throw Error(Code::usage, "a collector goes on with the first one or more branches: first(n) needs n of at least 1");
}
void check::two_steps_handle_the_failures_of_one_step() {
    throw Error(Code::usage, "two steps handle the failures of one step: let one of them name its steps by "
                             "of<...>(), or ask for the failed event by FailedEvent");
}
void check::of_names_a_step_that_is_not_in_this_workflow() {
    throw Error(Code::usage, "of<...>() names a step that is not in this workflow");
}
void check::of_names_a_step_whose_failures_do_not_fit_the_handler() {
    throw Error(Code::usage, "of<...>() names a step whose failures do not fit the handler: it accepts FailedEvent of "
                             "another event, or names itself");
}
}
