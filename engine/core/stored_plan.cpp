// The text is JSON. A hash of all of it names a declaration: the text has everything that decides the ways of events.
#include "engine/core/stored_plan.hpp"
#include "engine/core/data/slots.hpp"
#include "engine/core/record.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/json/shape_of.hpp"
#include "engine/json/walk.hpp"
#include "engine/store.hpp"
#include <nlohmann/json.hpp>

namespace weft::core {
using namespace storage;
using nlohmann::json;

NamedPlan named_plan(const Definition& d) {
    NamedPlan named;
    named.workflow = d.name;
    for (auto& step : d.steps) named.steps.emplace_back(step.name);
    for (auto& event : d.events) named.events.emplace_back(event.name);
    named.plan = d.plan;
    return named;
}
namespace {
json policies_of(const Definition& d) {
    auto all = json::array();
    for (auto& step : d.steps) {
        const auto& p = step.policy;
        all.push_back({{"timeout", p.timeout.count()},
                       {"attempts", p.retry.attempts},
                       {"elapsed", p.retry.elapsed.count()},
                       {"wait", {p.retry.wait.first.count(), p.retry.wait.most.count(), p.retry.wait.factor}},
                       {"repeatable", p.repeatable}});
        if (p.within != Policy().within) all.back()["within"] = p.within.count();
    }
    return all;
}
}
std::shared_ptr<const DurableForm> durable_form(const Definition& d, std::vector<const SlotType*> slots) {
    const auto named = named_plan(d);
    auto text = json_detail::write(json_detail::shape_of<NamedPlan>, &named, json_detail::Path("plan"));
    text["policies"] = policies_of(d);
    DurableForm form{std::move(slots), text.dump(), {}};
    form.hash = hex(chained_sum(0, 0, form.plan));
    return std::make_shared<const DurableForm>(std::move(form));
}
namespace {
/// Checks all indexes, because a plan may come from any file.
class PlanCheck {
public:
    explicit PlanCheck(const NamedPlan& named) : named_(named), plan_(named.plan) {}
    void check() const {
        need(!plan_.steps.empty() && plan_.steps.size() <= 64 && named_.steps.size() == plan_.steps.size(), "steps");
        need(plan_.events.size() < signals && named_.events.size() == plan_.events.size(), "events");
        check_steps();
        for (auto& consumer : plan_.consumers)
            need(is_step(consumer.step) && consumer.part < plan_.steps[consumer.step].parts, "consumers");
        check_events();
        for (auto& fan_out : plan_.fan_outs)
            for (std::size_t s = 0; s < 64; ++s)
                if (fan_out.collectors >> s & 1) need(is_step(s) && collects(plan_.steps[s]), "collectors");
    }

private:
    static void need(bool holds, const char* what) {
        if (!holds) throw Error(Code::journal, std::string("a stored plan is invalid: its ") + what + " are wrong");
    }
    static bool collects(const StepPlan& step) { return step.takes == Takes::all || step.takes == Takes::first; }
    bool is_step(std::size_t s) const { return s < plan_.steps.size(); }
    void check_steps() const {
        std::size_t before = 0;
        bool has_first = false;
        for (auto& step : plan_.steps) {
            need(step.first_fan >= before && step.first_fan <= plan_.fan_outs.size(), "fan-outs");
            before = step.first_fan;
            need(step.handler == no_step || is_step(step.handler), "handlers");
            need(step.workers > 0, "workers");
            need(step.parts > 0 && step.parts <= plan_.events.size() &&
                     (step.takes == Takes::parts) == (step.parts > 1),
                 "joins");
            need((step.takes == Takes::first) == (step.first > 0), "collectors");
            has_first = has_first || step.first > 0;
        }
        need(has_first == plan_.has_first, "collectors");
    }
    void check_events() const {
        std::size_t before = 0, questions = 0;
        for (auto& event : plan_.events) {
            need(event.first >= before && std::size_t(event.first) + event.count <= plan_.consumers.size(),
                 "consumers");
            before = event.first;
            need(event.only == no_step || is_step(event.only), "consumers");
            const bool is_answer = event.answers < signals;
            need(!is_answer ||
                     (event.answers < plan_.events.size() && plan_.events[event.answers].role == EventRole::request),
                 "answers");
            need(event.role != EventRole::ending ||
                     (event.count == 1 && plan_.steps[plan_.consumers[event.first].step].takes == Takes::one),
                 "undo steps");
            if (event.role != EventRole::request) continue;
            ++questions;
            need(event.lane >= plan_.steps.size() && event.lane - plan_.steps.size() < plan_.questions, "questions");
        }
        need(questions == plan_.questions, "questions");
    }
    const NamedPlan& named_;
    const Plan& plan_;
};
}
NamedPlan read_plan(const std::string& text, const std::string& hash) {
    if (hex(chained_sum(0, 0, text)) != hash)
        throw Error(Code::journal, "the stored plan " + hash + " was changed: its hash differs");
    NamedPlan named;
    try {
        json_detail::read(json_detail::shape_of<NamedPlan>, parse_json(text), &named, json_detail::Path("plan"));
    } catch (const Error& error) {
        throw Error(Code::journal, std::string("a stored plan cannot be read: ") + error.what());
    }
    PlanCheck(named).check();
    return named;
}
}
