#include "engine/json.hpp"
#include "engine/workflow.hpp"
#include "workflows/server/openai/error.hpp"
#include "workflows/server/openai/models.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::server;

namespace {
struct FormEvent : StartEvent {
    std::string text;
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(FormEvent, (), (text, count))
struct OptionalFormEvent : StartEvent {
    std::string text;
    int count = 1;
    static constexpr std::string_view optional_fields[] = {"count"};
};
BOOST_DESCRIBE_STRUCT(OptionalFormEvent, (), (text, count))
struct CountedEvent : StopEvent {
    int count = 0;
};
BOOST_DESCRIBE_STRUCT(CountedEvent, (), (count))
struct SaidEvent : StopEvent {
    std::string said;
};
BOOST_DESCRIBE_STRUCT(SaidEvent, (), (said))
struct SecretEvent : StopEvent {
    std::string said;
};
CountedEvent count_it(Context&, FormEvent) { return {}; }
SaidEvent say_it(Context&, OptionalFormEvent) { return {}; }
SecretEvent hide_it(Context&, FormEvent) { return {}; }

inline constexpr auto counting = workflow("counting", step<count_it>);
inline constexpr auto saying = workflow("saying", step<say_it>);
inline constexpr auto hiding = workflow("hiding", step<hide_it>);

template <const auto& declared> catalog::CatalogEntry entry_of() {
    catalog::CatalogEntry entry;
    entry.name = declared.name;
    entry.outline = []() -> const Definition& {
        static const auto outline = core::outline(declared);
        return outline;
    };
    return entry;
}
}

TEST_CASE("every workflow of the catalogue is a model, agents with a text and others with JSON") {
    const auto models = openai_models(catalog::entries());
    REQUIRE(models.size() == catalog::entries().size());
    for (const auto* agent : {"react", "reflect", "tool_agent", "plain_answer"}) {
        const auto& model = find_model(models, agent);
        CHECK(model.input_field == "text");
        CHECK(model.answer_field == "response");
        CHECK(model.is_agent);
    }
    const auto& hello = find_model(models, "hello");
    CHECK(hello.input_field == "text");
    CHECK(hello.answer_field == "text");
    CHECK_FALSE(hello.is_agent);
    CHECK(find_model(models, "research").input_field == "text");
    CHECK(find_model(models, "refund").input_field.empty());
    CHECK(find_model(models, "refund").answer_field == "text");
}
TEST_CASE("a start event with more than a text takes JSON, and a stop event without a text is sent as JSON") {
    const auto models = openai_models({entry_of<counting>(), entry_of<saying>()});
    REQUIRE(models.size() == 2);
    CHECK(models[0].input_field.empty());
    CHECK(models[0].answer_field.empty());
    CHECK(models[1].input_field == "text");
    CHECK(models[1].answer_field == "said");
}
TEST_CASE("a workflow is not a model when its events have no form in JSON") {
    const auto models = openai_models({entry_of<hiding>(), entry_of<saying>()});
    REQUIRE(models.size() == 1);
    CHECK(models[0].id == "saying");
}
TEST_CASE("models are listed as clients read them, and an unknown one is refused with a list of the known ones") {
    const auto models = openai_models({entry_of<counting>(), entry_of<saying>()});
    CHECK(models_json(models, 1700000000) ==
          R"({"object":"list","data":[{"id":"counting","object":"model","created":1700000000,"owned_by":"weft"},)"
          R"({"id":"saying","object":"model","created":1700000000,"owned_by":"weft"}]})");
    CHECK(model_json(models[1], 5) == R"({"id":"saying","object":"model","created":5,"owned_by":"weft"})");
    try {
        (void)find_model(models, "gpt-5");
        FAIL("it was found");
    } catch (const OpenaiRefusal& refusal) {
        CHECK(refusal.error().status == 404);
        CHECK(refusal.error().code == "model_not_found");
        CHECK(refusal.error().message == "there is no model \"gpt-5\"; there are counting, saying");
    }
}
