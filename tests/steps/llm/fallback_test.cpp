#include "engine/testing/await.hpp"
#include "steps/llm/fallback.hpp"
#include "steps/llm/model_error.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::llm;
using namespace std::chrono_literals;

namespace {
/// Says some text, if it is to, and then fails, if it is to.
struct Fake final : ChatModel {
    std::string own, text;
    std::function<void()> fail;
    int asked = 0;
    std::optional<int> retries;
    Fake(std::string n, std::string t, std::function<void()> f = {})
        : own(std::move(n)), text(std::move(t)), fail(std::move(f)) {}
    std::string name() const override { return own; }
    awaitable<ChatReply> chat(const ChatRequest& request, const OnDelta& on_delta) override {
        ++asked;
        retries = request.max_retries;
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
    int asked = 0;  // of the second model
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
}

TEST_CASE("the next model is asked when one is not available, and notes and reply say which one it was") {
    for (auto kind : {FaultKind::transient, FaultKind::throttled, FaultKind::unknown_outcome}) {
        const auto outcome = ask({fake("a", "", failing(kind)), fake("b", "42")});
        CHECK(outcome.text == "42");
        CHECK(outcome.answered_by == "b");
        CHECK(outcome.notes == "fallback b: a failed;");
    }
    CHECK(FallbackModel({fake("a", ""), fake("b", "")}).name() == "a, else b");
    CHECK_THROWS_WITH_AS(FallbackModel({}), "a fallback needs at least one model", Error);
}
TEST_CASE("what is no matter of availability is the error of the model that was asked") {
    for (auto kind : {FaultKind::permanent, FaultKind::refused, FaultKind::truncated}) {
        const auto outcome = ask({fake("a", "", failing(kind)), fake("b", "42")});
        CHECK(outcome.error == "a failed after 3");
        CHECK(outcome.asked == 0);
    }
    CHECK(ask({fake("a", "", failing<PromptTooLong>(FaultKind::permanent)), fake("b", "42")}).too_long);
}
TEST_CASE("after text another model is asked only if a restart is wanted") {
    const auto kept = ask({fake("a", "4", failing(FaultKind::transient)), fake("b", "42")});
    CHECK(kept.error == "a failed after 3");
    const auto anew = ask({fake("a", "4", failing(FaultKind::transient)), fake("b", "42")}, {.restart = true});
    CHECK(anew.text == "42");
    CHECK(anew.notes == "restart a: a failed;fallback b: a failed;");
}
TEST_CASE("when none is available the error names all, and keeps what programs decide by") {
    const auto b = fake("b", "", [] { throw PromptTooLong("b cannot read it", {}); });
    const auto outcome = ask({fake("a", "", failing(FaultKind::throttled)), b}, {.max_retries = 3});
    CHECK(outcome.error == "a failed; b cannot read it after 4");
    CHECK(outcome.too_long);
    CHECK(b->retries == 1);  // two of them were the first one's
}
