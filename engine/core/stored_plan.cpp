// The text is JSON. A hash of all of it names a declaration: whatever decides about events is in there.
#include "engine/core/stored_plan.hpp"
#include "engine/core/record.hpp"
#include "engine/core/slots.hpp"
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
NamedPlan read_plan(const std::string& text) {
    NamedPlan named;
    try {
        json_detail::read(json_detail::shape_of<NamedPlan>, parse_json(text), &named, json_detail::Path("plan"));
    } catch (const Error& error) {
        throw Error(Code::journal, std::string("a stored plan cannot be read: ") + error.what());
    }
    return named;
}
}
