// Answers and cancels sent to stored runs without an engine.
#include "engine/error.hpp"
#include "engine/store/memory_store.hpp"
#include "tests/workflows/stored.hpp"
#include "workflows/catalog/stored/inbox.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::catalog;
using nlohmann::json;
using stored::answered;
using stored::asked;
using stored::put;
using stored::started;

namespace {
const json granted = {{"granted", true}};

void put_waiting(Store& store, json ticks) {
    put(store, {{"id", "a1"}, {"status", "waiting"}, {"ticks", std::move(ticks)}});
}
std::vector<json> inbox(Store& store) {
    std::vector<json> all;
    for (auto& mail : stored::load(store, "a1").mail) all.push_back(json::parse(mail.body));
    return all;
}
}

TEST_CASE("an answer without a question id reaches the oldest unanswered question, and the run is ready") {
    MemoryStore store;
    put_waiting(store, {started(), asked(1), asked(2)});

    const auto first = send_answer(store, {.run = "a", .event = "ApprovalEvent", .data = granted});
    const auto second = send_answer(store, {.run = "a", .event = "ApprovalEvent", .data = granted});

    CHECK(first.run == "a1");
    CHECK(first.question == "1");
    CHECK(first.asked == "ApprovalRequestEvent");
    CHECK(second.question == "2");
    CHECK(first.id != second.id);
    CHECK(inbox(store).at(0) == json{{"event", "ApprovalEvent"}, {"data", granted}, {"question", 1}});
    CHECK(stored::load(store, "a1").run.status == RunStatus::ready);
    CHECK_THROWS_WITH_AS(send_answer(store, {.run = "a", .event = "ApprovalEvent", .data = granted}),
                         "question 2 has its answer already: it is in the inbox of run a1", Error);
    CHECK(inbox(store).size() == 2);
}
TEST_CASE("an answer reaches the open question that it names") {
    MemoryStore store;
    put_waiting(store, {started(), asked(1), asked(2), asked(3), answered(3)});
    const auto send = [&](const char* question) {
        return send_answer(store, {.run = "a1", .event = "ApprovalEvent", .data = granted, .question = question});
    };

    CHECK(send("2").question == "2");
    CHECK(inbox(store).at(0).at("question") == 2);
    CHECK_THROWS_WITH_AS(send("2"), "question 2 has its answer already: it is in the inbox of run a1", Error);
    CHECK_THROWS_WITH_AS(send("3"),
                         "run a1 has no open question 3; open are: 1 (ApprovalRequestEvent), "
                         "2 (ApprovalRequestEvent, answered)",
                         Error);
}
TEST_CASE("an answer against the workflow is refused with the fitting events, and not sent") {
    MemoryStore store;
    put_waiting(store, {started(), asked(1)});
    const auto send = [&](const char* event, json data) {
        return send_answer(store, {.run = "a1", .event = event, .data = std::move(data)});
    };

    CHECK_THROWS_WITH_AS(send("ApprovalEvent", {{"granted", "yes"}}), doctest::Contains("ApprovalEvent.granted"),
                         Error);
    CHECK_THROWS_WITH_AS(send("FlyEvent", granted),
                         "the workflow refund takes no FlyEvent from outside; it takes ApprovalEvent", Error);
    CHECK_THROWS_WITH_AS(send("RefundEvent", granted), doctest::Contains("takes no RefundEvent"), Error);
    CHECK(inbox(store).empty());
}
TEST_CASE("an answer without an open question is refused") {
    MemoryStore store;
    put_waiting(store, {started(), asked(1), answered(1)});

    CHECK_THROWS_WITH_AS(send_answer(store, {.run = "a1", .event = "ApprovalEvent", .data = granted}),
                         "run a1 has no open question that ApprovalEvent answers; open are: none", Error);
}
TEST_CASE("an answer with an id counts once, also after it was taken, and no other answer can have its id") {
    MemoryStore store;
    put_waiting(store, {started(), asked(1), asked(2)});
    AnswerToSend answer{.run = "a1", .event = "ApprovalEvent", .data = granted, .id = "mine"};

    CHECK(send_answer(store, answer).is_new);
    CHECK_FALSE(send_answer(store, answer).is_new);
    CHECK(inbox(store).size() == 1);
    answer.data = {{"granted", false}};
    CHECK_THROWS_WITH_AS(send_answer(store, answer), doctest::Contains("the id mine belongs to other mail"), Error);

    auto taken = answered(1);
    taken["mail"] = "old";
    put(store, {{"id", "b1"}, {"status", "done"}, {"ticks", {started(), asked(1), taken}}});
    answer.run = "b1";
    answer.id = "old";
    answer.data = granted;
    CHECK_FALSE(send_answer(store, answer).is_new);
    answer.data = {{"granted", false}};
    CHECK_THROWS_WITH_AS(send_answer(store, answer), doctest::Contains("the id old belongs to other mail"), Error);
}
TEST_CASE("an answer repeats an accepted one also if an optional field is left out") {
    MemoryStore store;
    auto taken = answered(1);
    taken["mail"] = "old";
    taken["events"][0]["data"]["comment"] = "";
    put(store, {{"id", "a1"}, {"status", "done"}, {"ticks", {started(), asked(1), taken}}});

    CHECK_FALSE(send_answer(store, {.run = "a1", .event = "ApprovalEvent", .data = granted, .id = "old"}).is_new);
}
TEST_CASE("an answer with an unknown field is refused with a list of the known fields") {
    MemoryStore store;
    put_waiting(store, {started(), asked(1)});

    CHECK_THROWS_WITH_AS(
        send_answer(store, {.run = "a1", .event = "ApprovalEvent", .data = {{"granted", true}, {"typo", 1}}}),
        "the answer has a field typo, which ApprovalEvent does not have: it has comment, granted", Error);
    CHECK(inbox(store).empty());
}
TEST_CASE("a run takes no answer when its cancellation is stored or its deadline has passed") {
    MemoryStore store;
    put_waiting(store, {started(), asked(1)});
    send_cancel(store, "a1");
    CHECK_THROWS_WITH_AS(send_answer(store, {.run = "a1", .event = "ApprovalEvent", .data = granted}),
                         "run a1 is to be cancelled: it takes no answer any more", Error);

    auto begun = started();
    begun["deadline"] = stored::noon - 1'000'000'000'000;
    put(store, {{"id", "b1"}, {"status", "waiting"}, {"ticks", {begun, asked(1)}}});
    CHECK_THROWS_WITH_AS(send_answer(store, {.run = "b1", .event = "ApprovalEvent", .data = granted}),
                         doctest::Contains("run b1 is past its deadline (--timeout)"), Error);
    begun["deadline"] = 10 * stored::noon;
    put(store, {{"id", "c1"}, {"status", "waiting"}, {"ticks", {begun, asked(1)}}});
    CHECK(send_answer(store, {.run = "c1", .event = "ApprovalEvent", .data = granted}).is_new);
}
TEST_CASE("an ended run takes neither answer nor cancel") {
    MemoryStore store;
    put(store, {{"id", "a1"}, {"status", "failed"}, {"ticks", {started(), asked(1)}}});

    CHECK_THROWS_WITH_AS(send_answer(store, {.run = "a1", .event = "ApprovalEvent", .data = granted}),
                         "run a1 has ended (failed): nothing can be sent to it", Error);
    CHECK_THROWS_WITH_AS(send_cancel(store, "a1"), "run a1 has ended (failed): nothing can be sent to it", Error);
}
TEST_CASE("a repeated cancel changes nothing") {
    MemoryStore store;
    put_waiting(store, {started(), asked(1)});

    CHECK(send_cancel(store, "a").is_new);
    CHECK_FALSE(send_cancel(store, "a").is_new);
    CHECK(inbox(store) == std::vector<json>{{{"cancel", true}}});
}
TEST_CASE("an answer to a workflow outside of the catalogue reaches the oldest question unchecked, with a note") {
    MemoryStore store;
    put(store, {{"id", "a1"}, {"status", "waiting"}, {"workflow", "mine"}, {"ticks", {started(), asked(1)}}});

    const auto sent = send_answer(store, {.run = "a1", .event = "AnyEvent", .data = {{"x", 1}}});

    CHECK_FALSE(sent.checked);
    CHECK(sent.question == "1");
}
namespace {
/// A run of a workflow outside the catalogue.
void put_watch(Store& store, const json& more = json::object()) {
    json run{{"id", "w1"}, {"workflow", "counted_watch"}};
    run.update(more);
    put(store, run);
}
}
TEST_CASE("a signal is stored for a run of a workflow outside the catalogue, and counts once with its id") {
    MemoryStore store;
    put_watch(store, {{"status", "waiting"}});
    const SignalToSend signal{.run = "w", .event = "PauseEvent", .data = {{"by", "Ann"}}, .id = "m1"};

    const auto first = send_signal(store, signal), second = send_signal(store, signal);

    CHECK(first.run == "w1");
    CHECK(first.is_new);
    CHECK_FALSE(first.checked);
    CHECK_FALSE(second.is_new);
    const auto mail = stored::load(store, "w1").mail;
    REQUIRE(mail.size() == 1);
    CHECK(json::parse(mail[0].body) == json{{"event", "PauseEvent"}, {"data", {{"by", "Ann"}}}});
    CHECK(stored::load(store, "w1").run.status == RunStatus::ready);
    CHECK_THROWS_WITH_AS(send_signal(store, {.run = "w1", .event = "PauseEvent", .data = {}, .id = "m1"}),
                         "the id m1 belongs to other mail of run w1: give this answer an id of its own", Error);
}
TEST_CASE("a signal is refused when the workflow has no such signal, the run has ended, or the inbox is full") {
    MemoryStore store;
    put_watch(store);
    put_waiting(store, {started(), asked(1)});
    CHECK_THROWS_WITH_AS(send_signal(store, {.run = "w1", .event = "StopItEvent", .data = {}}),
                         "the workflow counted_watch of run w1 takes no signal StopItEvent; it takes PauseEvent",
                         Error);
    CHECK_THROWS_WITH_AS(send_signal(store, {.run = "a1", .event = "ApprovalEvent", .data = granted}),
                         "the workflow refund of run a1 takes no signal ApprovalEvent; it takes no signals", Error);
    for (std::size_t i = 0; i < storage::most_unread_mail; ++i)
        send_signal(store, {.run = "w1", .event = "PauseEvent", .data = {{"by", "x"}}});
    CHECK_THROWS_WITH_AS(send_signal(store, {.run = "w1", .event = "PauseEvent", .data = {}}),
                         doctest::Contains("the inbox of run w1 is full"), Error);
    put_watch(store, {{"id", "w2"}, {"status", "done"}});
    CHECK_THROWS_WITH_AS(send_signal(store, {.run = "w2", .event = "PauseEvent", .data = {}}),
                         "run w2 has ended (done): nothing can be sent to it", Error);
}
