// Events and slots of the catalogue's workflows are equal after they were written and read.
#include "engine/event_json.hpp"
#include "engine/json.hpp"
#include "steps/agents/common/tool_question.hpp"
#include "steps/models/chat_model.hpp"
#include "tools/tool.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/hello.hpp"
#include "workflows/plain_answer.hpp"
#include "workflows/react.hpp"
#include "workflows/reflect.hpp"
#include "workflows/refund.hpp"
#include "workflows/research.hpp"
#include "workflows/tool_agent.hpp"
#include <doctest/doctest.h>
#include <set>
using namespace weft;
using nlohmann::json;

namespace {
using json_detail::Form;
namespace detail = json_detail;

/// Returns a value of this form in which no part has its default.
class Example {
public:
    json of(const detail::Shape& s) {
        ++number_;
        switch (s.form) {
        case Form::boolean: return number_ % 2 == 0;
        case Form::integer: return s.is_signed ? -int(number_ % 100) : int(number_ % 100);
        case Form::number: return double(number_) + 0.1;
        case Form::string: return "text " + std::to_string(number_) + ": \"\u00e9\"\n{}";
        case Form::text: return {{"b", {number_, nullptr}}, {"a", "x"}};
        case Form::names: return s.enumerators.back().name;
        case Form::optional: return of(s.parts[0]());
        case Form::list: return json::array({of(s.parts[0]()), of(s.parts[0]())});
        case Form::map: return {{"one", of(s.parts[0]())}, {"two", of(s.parts[0]())}};
        case Form::object: return of_fields(s);
        default: break;
        }
        FAIL("this test has no example of the form of " << s.name);
        return {};
    }

private:
    json of_fields(const detail::Shape& s) {
        auto object = json::object();
        for (const auto& field : s.fields) object[std::string(field.name)] = of(field.shape());
        return object;
    }
    unsigned number_ = 0;
};
/// Inverts every bool, so that each has once another value than its default.
json turned(json value) {
    if (value.is_boolean()) return !value.get<bool>();
    if (value.is_structured())
        for (auto& part : value) part = turned(std::move(part));
    return value;
}
template <class T> void check_example(const json& example) {
    const auto value = from_json<T>(example);
    CHECK(to_json(value) == example);
    const auto stored = detail::write(detail::shape_of<T>, &value, detail::Path("value", detail::TextForm::unchanged));
    CHECK(to_json(from_json<T>(parse_json(stored.dump()))) == example);
}

/// Returns the size of a class with only the described members.
template <class T> std::size_t described_size() {
    std::size_t size = 0, strictest = 1;
    const auto align = [&size](std::size_t to) { size = (size + to - 1) / to * to; };
    detail::for_each_member<T>([&](auto member) {
        using Member = std::remove_reference_t<decltype(std::declval<T&>().*decltype(member)::pointer)>;
        align(alignof(Member));
        size += sizeof(Member);
        strictest = std::max(strictest, alignof(Member));
    });
    align(strictest);
    return std::max<std::size_t>(size, 1);
}
/// Three types leave these out: another process has other clocks, and no use for an exception of this one; and
/// where a text has been continued only tells a provider what to cache.
template <class T> constexpr std::size_t left_out = 0;
template <> constexpr std::size_t left_out<agents::Spent> = sizeof(agents::Spent::noted);
template <> constexpr std::size_t left_out<StepFailedEvent> = sizeof(StepFailedEvent::cause);
template <> constexpr std::size_t left_out<models::Message> = sizeof(models::Message::joints);

/// Checks that all classes in a type are described completely.
template <class T> void check_members() {
    if constexpr (detail::form<T> == Form::object) {
        CAPTURE(std::string(core::type_name<T>));
        CHECK(described_size<T>() + left_out<T> == sizeof(T));
        detail::for_each_member<T>([](auto member) {
            check_members<std::remove_cvref_t<decltype(std::declval<T&>().*decltype(member)::pointer)>>();
        });
    } else if constexpr (detail::form<T> == Form::optional || detail::form<T> == Form::list ||
                         detail::form<T> == Form::map)
        check_members<detail::ItemOf<T>>();
}
template <class T> void check_form() {
    CAPTURE(std::string(core::type_name<T>));
    const auto example = Example().of(detail::shape_of<T>);
    check_example<T>(example);
    check_example<T>(turned(example));
    check_members<T>();
}
template <class... T> void check_forms(core::List<T...>) { (check_form<T>(), ...); }

using Slots = core::List<agents::AllowedTools, agents::CallsToApprove, agents::Conversation, agents::CurrentReasoning,
                         agents::CurrentReflection, agents::Decompositions, agents::Inquiry, agents::OpenCalls,
                         agents::PastSummary, agents::Progress, agents::QuestionPrint, agents::SubAnswers,
                         agents::Transcript, workflows::Claim>;
std::set<std::string_view> checked;
template <auto... Fn> void check_workflow(const Workflow<Fn...>& workflow) {
    CAPTURE(std::string(workflow.name));
    check_forms(typename Workflow<Fn...>::Events{});
    checked.insert(workflow.name);
}
}

TEST_CASE("events and slots of every workflow are equal after they were written and read") {
    using namespace weft::workflows;
    check_workflow(hello);
    check_workflow(plain_answer);
    check_workflow(react);
    check_workflow(tool_agent);
    check_workflow(reflect);
    check_workflow(sub_question);
    check_workflow(refund);
    check_workflow(research);
    check_forms(Slots{});

    for (const auto& entry : catalog::entries()) {
        CAPTURE(std::string(entry.name));
        CHECK(checked.contains(entry.name));
        for (const auto& type : entry.outline().events) CHECK_NOTHROW(refuse_without_form(type));
    }
}
TEST_CASE("a model's reply and a tool's observation are equal after they were written and read") {
    models::ChatReply reply;
    reply.text = "It is \u00e9.";
    reply.calls = {{"call_1", "add", R"({"b": 1, "a": 2})"}, {"call_2", "add", "{broken"}};
    reply.usage = {1000, 200, 300, 40};
    reply.finish = models::FinishReason::tool_calls;
    reply.model = "m-1";
    reply.native = {"anthropic", {R"([{"type": "thinking", "thinking": "hm", "signature": "Eq=="}, {"n": 1.50}])"}};
    reply.request_id = "req_7";
    reply.attempts = 3;
    reply.answered_by = "openai:m";
    reply.reasoning = "First,\nthen.";
    const auto stored = [](const auto& value) {
        using T = std::remove_cvref_t<decltype(value)>;
        const auto text =
            detail::write(detail::shape_of<T>, &value, detail::Path("value", detail::TextForm::unchanged)).dump();
        return from_json<T>(parse_json(text));
    };

    CHECK(stored(reply) == reply);
    CHECK(stored(models::ChatReply()) == models::ChatReply());
    for (const tools::Observation& seen :
         {tools::Observation{"[1, 2]\n", true, true}, {"Error: no", false, true}, {"Error: what?", false, false}})
        CHECK(stored(seen) == seen);
    check_members<models::ChatReply>();
    check_members<tools::Observation>();
}
