#include "engine/net/net_error.hpp"
#include "steps/models/fallback.hpp"
#include "steps/models/http/http_call.hpp"
#include "tests/steps/models/asking.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;
using testing::RudeServer;

namespace {
/// A model with an optional text and an optional failure.
struct Fake final : ChatModel {
    std::string own, text;
    std::function<void()> fail;
    int asked = 0;
    std::optional<int> retries;
    std::optional<std::chrono::nanoseconds> longest_wait;
    Fake(std::string n, std::string t, std::function<void()> f = {})
        : own(std::move(n)), text(std::move(t)), fail(std::move(f)) {}
    std::string name() const override { return own; }
    awaitable<ChatReply> chat(const ChatRequest& request, const OnDelta& on_delta) override {
        ++asked;
        retries = request.max_retries;
        longest_wait = request.longest_wait;
        if (on_delta && !text.empty()) on_delta(text);
        if (fail) fail();
        ChatReply reply;
        reply.text = text;
        co_return reply;
    }
};
template <class E = ModelError> auto failing(FaultKind kind) {
    return [kind] {
        ModelError::Details details{kind, {}, {}, 3, {}};
        if constexpr (std::is_same_v<E, ModelError>) throw ModelError(Code::model_failed, "a failed", details);
        else throw E("a failed", details);
    };
}
struct Outcome {
    std::string text, error, answered_by, notes;
    int asked = 0;  // requests to the second model
    bool too_long = false;
};
Outcome ask(std::vector<std::shared_ptr<ChatModel>> models, ChatRequest request = {}) {
    auto last = std::static_pointer_cast<Fake>(models.back());
    FallbackModel model(std::move(models));
    Outcome outcome;
    request.on_note = [&](const CallNote& note) {
        if (note.kind == CallNote::Kind::restart) outcome.text.clear();
        outcome.notes += (note.kind == CallNote::Kind::restart ? "restart " : "fallback ") + note.model + ": " +
                         note.text + ";";
    };
    const OnDelta on_delta = [&](std::string_view delta) { outcome.text += delta; };
    try {
        outcome.answered_by = testing::await(model.chat(request, on_delta)).answered_by;
    } catch (const ModelError& error) {
        outcome.error = error.what() + (" after " + std::to_string(error.details().attempts));
        outcome.too_long = dynamic_cast<const PromptTooLong*>(&error);
    }
    outcome.asked = last->asked;
    return outcome;
}
auto fake(std::string name, std::string text, std::function<void()> fail = {}) {
    return std::make_shared<Fake>(std::move(name), std::move(text), std::move(fail));
}
/// The outcomes with a server that requires a wait, with another model and without.
struct Pair {
    Asked alone, with_another;
    int connections = 0;  // with another model
};
Pair ask_limited(const std::vector<RudeServer::Session>& sessions, RetryPolicy retry = {}) {
    Pair pair;
    for (const bool another : {false, true}) {
        RudeServer server(sessions);
        auto options = options_for(server);
        options.retry = retry;
        std::vector<std::shared_ptr<ChatModel>> models{std::make_shared<HttpModel>(options)};
        if (another) models.push_back(fake("b", "from b"));
        FallbackModel model(std::move(models));
        testing::ManualClock clock;
        (another ? pair.with_another : pair.alone) = models::ask(model, clock);
        pair.connections = server.connections();
    }
    return pair;
}
const auto answer = once(200, whole_reply);
}

TEST_CASE("a request goes to the next model when one is not available, and notes and reply name that model") {
    for (auto kind : {FaultKind::transient, FaultKind::throttled, FaultKind::unknown_outcome}) {
        const auto outcome = ask({fake("a", "", failing(kind)), fake("b", "42")});
        CHECK(outcome.text == "42");
        CHECK(outcome.answered_by == "b");
        CHECK(outcome.notes == "fallback b: a failed;");
    }
    CHECK(FallbackModel({fake("a", ""), fake("b", "")}).name() == "a, else b");
    CHECK_THROWS_WITH_AS(FallbackModel({}), "a fallback needs at least one model", Error);
}
TEST_CASE("an error other than unavailability is thrown unchanged") {
    for (auto kind : {FaultKind::permanent, FaultKind::refused, FaultKind::truncated}) {
        const auto outcome = ask({fake("a", "", failing(kind)), fake("b", "42")});
        CHECK(outcome.error == "a failed after 3");
        CHECK(outcome.asked == 0);
    }
    CHECK(ask({fake("a", "", failing<PromptTooLong>(FaultKind::permanent)), fake("b", "42")}).too_long);
}
TEST_CASE("a fallback after text asks another model only if a restart is wanted") {
    const auto kept = ask({fake("a", "4", failing(FaultKind::transient)), fake("b", "42")});
    CHECK(kept.error == "a failed after 3");
    const auto anew = ask({fake("a", "4", failing(FaultKind::transient)), fake("b", "42")}, {.restart = true});
    CHECK(anew.text == "42");
    CHECK(anew.notes == "restart a: a failed;fallback b: a failed;");
}
TEST_CASE("the error names all models when none is available, and keeps the members that programs decide by") {
    const auto b = fake("b", "", [] { throw PromptTooLong("b cannot read it", {}); });
    const auto outcome = ask({fake("a", "", failing(FaultKind::throttled)), b}, {.max_retries = 3});
    CHECK(outcome.error == "a failed; b cannot read it after 4");
    CHECK(outcome.too_long);
    CHECK(b->retries == 1);  // two retries were the first model's
}
TEST_CASE("a call waits at most five seconds before it uses another model, and without limit for the only one") {
    const auto limited = ask_limited({once(429, "", "Retry-After: 17\r\n"), answer});
    CHECK(limited.alone.reply.text == "42");
    CHECK(limited.alone.waited >= 17s);
    CHECK(limited.with_another.text == "from b");
    CHECK(limited.with_another.waited == 0s);
    REQUIRE(limited.with_another.notes.size() == 1);
    CHECK(limited.with_another.notes[0].text ==
          "openai:m limits how often it is asked (429); it asks to wait 17 s before the next try");

    const auto growing = ask_limited({once(503, ""), answer}, {.base = 20s, .cap = 20s});
    CHECK(growing.alone.waited == 10s);
    CHECK(growing.with_another.waited == 0s);
    CHECK(growing.with_another.notes.at(0).text == "openai:m failed (503); the next try would come after 10 s");
    CHECK(growing.connections == 1);
}
TEST_CASE("a call waits for five seconds also when another model is available") {
    const auto limited = ask_limited({once(429, "", "Retry-After: 4\r\n"), answer});
    CHECK(limited.with_another.text == "42");
    CHECK(limited.with_another.waited >= 4s);
    CHECK(limited.connections == 2);
}
TEST_CASE("a request goes to the next model immediately when the limiter delays it for too long") {
    RudeServer server({once(429, "", "Retry-After: 30\r\n"), answer});
    const auto options = options_for(server);
    const auto first = std::make_shared<HttpModel>(options);
    const auto second = fake("b", "from b");
    FallbackModel model({first, second});
    testing::ManualClock clock;
    CHECK(models::ask(model, clock).text == "from b");

    const auto later = models::ask(model, clock);  // the server gets no request
    CHECK(later.text == "from b");
    CHECK(later.waited == 0s);
    CHECK(server.connections() == 1);
    CHECK(later.notes.at(0).text.find("openai:m limits how often it is asked with this key") == 0);

    clock.advance(31s);
    CHECK(models::ask(model, clock).text == "42");
}
TEST_CASE("a host without an address is looked up again only if there is no other model") {
    HttpModelOptions options;
    options.name = "openai:m";
    options.protocol = &openai_chat;
    options.chance = [] { return 0.5; };
    options.allowance = std::make_shared<RetryAllowance>();
    testing::ManualClock clock;
    Account account(LimiterSettings{});
    const OnDelta nobody;
    for (const auto failure : {net::Failure::name_lookup, net::Failure::name_service})
        for (const bool another : {false, true}) {
            ChatRequest request;
            if (another) request.longest_wait = 5s;
            HttpCall call(options, account, clock, {}, request, nobody);
            REQUIRE(call.delay_for_limit(false) == 0s);
            const auto fault = call.fault_of(net::NetError(failure, "the name x has no address"));
            CHECK(is_availability(fault.kind));
            if (another) CHECK_THROWS_AS(call.wait_before_retry_or_throw(fault), ModelError);
            else CHECK(call.wait_before_retry_or_throw(fault) == 250ms);
        }
}
TEST_CASE("a model whose host has no address is skipped without a wait") {
    HttpModelOptions options;
    options.name = "openai:m";
    options.protocol = &openai_chat;
    options.base = net::parse_url("http://" + std::string(70, 'a') + ".invalid/v1");  // too long: no request
    FallbackModel model({std::make_shared<HttpModel>(options), fake("b", "from b")});
    testing::ManualClock clock;
    const auto asked = models::ask(model, clock);
    CHECK(asked.text == "from b");
    CHECK(asked.waited == 0s);
    REQUIRE(asked.notes.size() == 1);
    CHECK(asked.notes[0].kind == CallNote::Kind::fallback);
}
TEST_CASE("a call waits for the last model as its caller allows, also within another fallback") {
    const auto a = fake("a", "", failing(FaultKind::transient)), b = fake("b", "", failing(FaultKind::transient));
    const auto c = fake("c", "42");
    const auto inner = std::make_shared<FallbackModel>(std::vector<std::shared_ptr<ChatModel>>{a, b}, 9s);
    FallbackModel model({inner, c}, 7s);
    testing::ManualClock clock;
    CHECK(models::ask(model, clock).text == "42");
    CHECK(a->longest_wait == 7s);
    CHECK(b->longest_wait == 7s);
    CHECK_FALSE(c->longest_wait);
}
