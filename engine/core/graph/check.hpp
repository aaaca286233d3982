// The compiler's error messages. The name of each struct is in the first line of the error. The asserted value is a
// plain bool, because a concept would add six lines of notes.
#pragma once

namespace weft::core::check {
template <bool ok> struct Checked { static constexpr bool value = ok; };
template <auto Step> struct step {
    template <bool ok> struct has_step_signature : Checked<ok> {
        static_assert(ok, "a step is a free function: Next step(Context&, Event, Resource&...), or awaitable<Next> if "
                          "it waits; one that joins takes several events, by value and before the resources");
    };
    template <bool ok> struct is_on_a_path_from_start_to_stop : Checked<ok> {
        static_assert(ok, "this step can never run, or can never lead to the stop event");
    };
    template <bool ok> struct returns_events : Checked<ok> {
        static_assert(ok, "a step returns an event, which is a struct of yours, or a vector, a variant or an optional "
                          "of events, or void; or weft::awaitable of these if it waits");
    };
    template <bool ok> struct returns_flat_branches : Checked<ok> {
        static_assert(ok, "a branch of a fan-out cannot be a fan-out itself: return vector<E>, and let the step that "
                          "accepts E return a vector");
    };
    template <bool ok> struct is_a_lambda_without_captures : Checked<ok> {
        static_assert(ok, "named_step takes a lambda without captures and without auto parameters: what it needs from "
                          "outside is a resource; a function is step<f>");
    };
    template <bool ok> struct stands_once : Checked<ok> {
        static_assert(ok, "two steps of this workflow have the same name: rename one of them");
    };
    template <bool ok> struct accepts_each_event_once : Checked<ok> {
        static_assert(ok, "a step that joins several events takes each type once: collect several of one type as a "
                          "vector, or fan out into types of their own");
    };
    template <bool ok> struct joins_single_events : Checked<ok> {
        static_assert(ok, "a step that joins several events cannot collect a vector as one of them: collect it in a "
                          "step before, and join what that returns");
    };
    template <bool ok> struct joins_no_failures : Checked<ok> {
        static_assert(ok, "a failure handler accepts one event, StepFailedEvent or FailedEvent, and joins nothing");
    };
    template <bool ok> struct takes_its_event_as_its_own : Checked<ok> {
        static_assert(ok, "a step takes its event by value, or by const reference");
    };
    template <bool ok> struct emits_no_failure : Checked<ok> {
        static_assert(ok, "a step does not emit StepFailedEvent: it throws, and then a step that accepts "
                          "StepFailedEvent is asked");
    };
    template <bool ok> struct emits_no_ending : Checked<ok> {
        static_assert(ok, "a step does not emit RunEndingEvent: the engine gives it to the undo step when the run is "
                          "cancelled, passes its deadline or fails");
    };
    template <bool ok> struct accepts_the_ending_alone : Checked<ok> {
        static_assert(ok, "an undo step accepts one event, RunEndingEvent: it joins and collects nothing");
    };
    template <bool ok> struct may_be_tried_again : Checked<ok> {
        static_assert(ok, "a step that is retried gets a copy of its event each time, so the event has to be copyable");
    };
};
template <class Event> struct event {
    template <auto Step, bool ok> struct emitted_by : Checked<ok> {
        static_assert(ok, "no step of this workflow accepts this event: add a step for it, or derive it from "
                          "StopEvent or InputRequiredEvent");
    };
    template <auto Step, bool ok> struct awaited_by : Checked<ok> {
        static_assert(ok, "no step of this workflow emits this event: return it from a step, or derive it from "
                          "StartEvent or HumanResponseEvent; if it is a resource, take it by reference");
    };
    template <auto Step, bool ok> struct may_be_accepted_by : Checked<ok> {
        static_assert(ok, "no step can accept this event, because it leaves the run: a StopEvent ends it, an "
                          "InputRequiredEvent goes to the outside");
    };
    template <bool ok> struct is_a_question : Checked<ok> {
        static_assert(ok, "Answers<E> is for questions only: derive E from InputRequiredEvent, or the answer from "
                          "HumanResponseEvent");
    };
    template <bool ok> struct ends_the_run_and_can_be_copied : Checked<ok> {
        static_assert(ok, "a stop event has to be copyable, as every reader of the run gets one: keep what is not "
                          "behind a shared_ptr");
    };
    template <bool ok> struct answers_a_question_of_this_workflow : Checked<ok> {
        static_assert(ok, "no step of this workflow asks the question that this event answers");
    };
    template <bool ok> struct is_the_failure_of_a_step : Checked<ok> {
        static_assert(ok, "no step of this workflow accepts the input of this failure: FailedEvent<E> is for the "
                          "failures of steps that accept E, FailedEvent<std::vector<E>> for failures of collectors");
    };
    template <bool ok> struct may_be_kept_for_its_handler : Checked<ok> {
        static_assert(ok, "the handler of FailedEvent gets a copy of the failed event, so it has to be copyable");
    };
    template <bool ok> struct is_sent_to_the_run : Checked<ok> {
        static_assert(ok, "this workflow consumes no such event: send a HumanResponseEvent or a SignalEvent that one "
                          "of its steps accepts");
    };
    template <bool ok> struct is_a_signal_of_the_workflow : Checked<ok> {
        static_assert(ok, "no step of this workflow accepts this signal: send a SignalEvent that one of them accepts");
    };
    template <bool ok> struct is_named_before_it_is_awaited : Checked<ok> {
        static_assert(ok, "ctx.run takes no braces: name the start event and the options, and move them in, as in "
                          "ctx.run(workflow, std::move(event)); g++ 12 destroys a braced value twice beside "
                          "co_await");
    };
    template <bool ok> struct begins_this_workflow : Checked<ok> {
        static_assert(ok, "this is not the start event of the workflow: ctx.run takes exactly that type");
    };
    template <bool ok> struct has_several_consumers : Checked<ok> {
        static_assert(ok, "several steps accept this event, so it has to be copyable");
    };
    template <bool ok> struct has_a_name_of_its_own : Checked<ok> {
        static_assert(ok, "two event types of this workflow have the same name: rename one, records would mix them");
    };
    template <bool ok> struct is_told_on_the_way : Checked<ok> {
        static_assert(ok, "ctx.stream is for progress: a step returns a StopEvent or an InputRequiredEvent, and the "
                          "engine streams the end of a run");
    };
    template <bool ok> struct begins_a_run_again : Checked<ok> {
        static_assert(ok, "ctx.begin_again takes the start event of the workflow, derived from StartEvent, or a "
                          "function that makes it: [round](const Names& names) { return PollEvent{...}; }");
    };
    template <bool ok> struct is_made_by_a_function : Checked<ok> {
        static_assert(ok, "the function of ctx.begin_again returns the start event of the workflow, has slots as "
                          "parameters, and is not mutable: [round](const Names& names) { return PollEvent{...}; }");
    };
    template <bool ok> struct is_aligned_to_8_bytes : Checked<ok> {
        static_assert(ok, "an event is aligned to at most 8 bytes: keep what needs more behind a pointer");
    };
};
template <class... Given> struct workflow {
    template <bool ok> struct has_a_lasting_name : Checked<ok> {
        static_assert(ok, "a workflow keeps its name as a view: give it a literal, and no std::string");
    };
    template <bool ok> struct is_made_of_steps : Checked<ok> {
        static_assert(ok, "a workflow is made of steps: workflow(\"name\", step<f>, step<g>), or named_step");
    };
};
template <class Resource> struct resource {
    template <auto Step, bool ok> struct needed_by : Checked<ok> {
        static_assert(ok, "with(...) was not given this resource");
    };
    template <auto Step, bool ok> struct chosen_for : Checked<ok> {
        static_assert(ok, "with(...) was given several resources that fit this parameter: give one of its exact type, "
                          "or only one");
    };
    template <bool ok> struct may_be_changed_by_its_step : Checked<ok> {
        static_assert(ok, "this resource is const, and a step takes it as R&: give one that is not const, or let the "
                          "step take const R&");
    };
    template <bool ok> struct outlives_the_runs : Checked<ok> {
        static_assert(ok, "with(...) was given a temporary, which would be gone before a run begins: keep the resource "
                          "in a variable");
    };
    template <bool ok> struct is_needed_by_a_step : Checked<ok> {
        static_assert(ok, "no step of this workflow needs this resource: remove it from with(...)");
    };
};
template <class Slot> struct slot {
    template <bool ok> struct is_not_over_aligned : Checked<ok> {
        static_assert(ok, "a slot is aligned to at most 16 bytes: keep what needs more behind a pointer");
    };
    template <bool ok> struct has_a_default : Checked<ok> {
        static_assert(ok, "a slot without edits reads as its default: give this type a default constructor");
    };
    template <bool ok> struct can_be_copied : Checked<ok> {
        static_assert(ok, "a step edits a copy of a slot, so this type has to be copyable: keep what is not behind a "
                          "shared_ptr");
    };
    template <bool ok> struct is_edited_in_place : Checked<ok> {
        static_assert(ok, "ctx.edit was given a function that changes a copy of the slot: let it take S&, or auto&");
    };
    template <bool ok> struct is_edited_without_waiting : Checked<ok> {
        static_assert(ok, "ctx.edit was given a function that waits: await first, and edit with the result");
    };
    template <bool ok> struct is_described_or_memory_only : Checked<ok> {
        static_assert(ok, "this file includes engine/durable.hpp, and durable runs store slots as JSON: describe this "
                          "type with BOOST_DESCRIBE_STRUCT, as engine/describe.hpp shows; or, if no stored run needs "
                          "it, let it say static constexpr bool memory_only = true");
    };
    template <bool ok> struct has_a_stored_name_of_its_own : Checked<ok> {
        static_assert(ok, "two slots of durable<...> are stored under the same name, which is their type's, without "
                          "its namespace and in lower case: rename one of them");
    };
    template <bool ok> struct is_given_once : Checked<ok> {
        static_assert(ok, "slots(...) was given two values for this slot: give one");
    };
};
// A class that another header defines. It depends on the second type, so the lookup happens once that type is known.
template <class Of, class> struct Dependent { using type = Of; };
template <class Of, class On> using Later = typename Dependent<Of, On>::type;
template <class T> constexpr bool has_size() {
    return requires { sizeof(T); };
}
template <class T> inline constexpr bool is_complete = has_size<T>();
template <class Of> struct header {
    template <bool ok> struct of_once_is_included : Checked<ok> {
        static_assert(ok, "ctx.once and ctx.at_most_once have a header of their own: #include \"engine/once.hpp\"");
    };
    template <bool ok> struct of_runs_is_included : Checked<ok> {
        static_assert(ok, "ctx.run has a header of its own: #include \"engine/run.hpp\"");
    };
    template <bool ok> struct of_definitions_is_included : Checked<ok> {
        static_assert(ok, "a workflow is bound to its resources where runs are known: #include \"engine/run.hpp\", or "
                          "\"engine/engine.hpp\"");
    };
};
template <class Of>
inline constexpr bool has_definitions = header<Of>::template of_definitions_is_included<is_complete<Of>>::value;
template <class T> struct stored {
    template <bool ok> struct has_a_description : Checked<ok> {
        static_assert(ok, "durable runs store this type as JSON: describe it with BOOST_DESCRIBE_STRUCT, as "
                          "engine/describe.hpp shows");
    };
    template <bool ok> struct has_a_default_constructor : Checked<ok> {
        static_assert(ok, "durable runs read this type back into a default object: give it a default constructor");
    };
};
}
