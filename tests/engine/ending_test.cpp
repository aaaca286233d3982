// The table of endings of runs.
#include "engine/ending.hpp"
#include "engine/event_json.hpp"
#include "engine/run.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;

namespace {
template <class E> AnyEvent any(E event) { return AnyEvent(new core::Published::Of<E>(std::move(event))); }
struct OtherEvent {};
}
TEST_CASE("a terminal event, a status and a code each find their row of the table of endings") {
    const std::pair<RunStatus, AnyEvent> all[] = {{RunStatus::failed, any(RunFailedEvent{})},
                                                  {RunStatus::timed_out, any(RunTimedOutEvent{})},
                                                  {RunStatus::cancelled, any(RunCancelledEvent{})}};
    for (auto& [status, event] : all) {
        const auto* ending = ending_of(status);
        REQUIRE(ending);
        CHECK(ending->status == status);
        CHECK(ending_of(event) == ending);
        CHECK(ending_of(ending->code) == ending);
        CHECK(ending_named(event.name()) == ending);
    }
}
TEST_CASE("the table of endings has no row for a stop event or for events that end no run") {
    CHECK(ending_of(RunStatus::running) == nullptr);
    CHECK(ending_of(RunStatus::done) == nullptr);
    CHECK(ending_of(any(RunIdleEvent{})) == nullptr);
    CHECK(ending_of(any(OtherEvent{})) == nullptr);
    CHECK(ending_of(Code::usage) == nullptr);
}
TEST_CASE("a trace names the kind of end, and the failed step of a failure") {
    const auto shown = [](const AnyEvent& event) { return ending_of(event)->shown(event.data()); };
    CHECK(shown(any(RunFailedEvent{.step = "ask", .error = "no answer"})) == "ask: no answer");
    CHECK(shown(any(RunTimedOutEvent{.timeout = 1})) == "the run has passed its deadline");
    CHECK(shown(any(RunTimedOutEvent{.timeout = 1, .active_steps = {"ask", "act"}})) ==
          "the run has passed its deadline in ask, act");
    CHECK(shown(any(RunCancelledEvent{})) == "the run was cancelled");
}
TEST_CASE("an outcome that is read again gives the error of the run") {
    const auto error = [](const AnyEvent& event) {
        const auto* ending = ending_of(event);
        return ending->error(AnyEvent(ending->read(to_json(event), "")).data());
    };
    const auto failed = error(any(RunFailedEvent{.step = "ask", .error = "no answer", .code = Code::model_failed}));
    CHECK(failed.code() == Code::model_failed);
    CHECK(std::string(failed.what()) == "step ask failed: no answer");
    CHECK(sentence_of(failed.cause()) == "no answer");
    const auto late = error(any(RunTimedOutEvent{.timeout = 1.5, .active_steps = {"ask"}}));
    CHECK(late.code() == Code::timed_out);
    CHECK(std::string(late.what()) == "the run has not ended within 1.5 s");
    CHECK(error(any(RunCancelledEvent{})).code() == Code::cancelled);
}
TEST_CASE("the sentence of an end names the failed step, if any, and a timeout of any length") {
    CHECK(sentence_of(RunFailedEvent{.step = "ask", .error = "no answer"}) == "step ask failed: no answer");
    CHECK(sentence_of(RunFailedEvent{.error = "no answer"}) == "the run failed: no answer");
    CHECK(sentence_of(RunTimedOutEvent{.timeout = 1.5}) == "the run has not ended within 1.5 s");
    CHECK(sentence_of(RunTimedOutEvent{.timeout = 1e300}) == "the run has not ended within 1e+300 s");
}
