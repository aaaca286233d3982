// A parallel tool changes nothing that another tool sees, so it has readOnlyHint. openWorldHint is missing, so clients
// assume that a tool reaches the world. An approval is valid for one call: the answer uses up the key of its question.
#include "workflows/mcp/tool_offer.hpp"
#include "engine/error.hpp"
#include "tools/registry.hpp"
#include "tools/tool_context.hpp"
#include "workflows/catalog/unknown_fields.hpp"
#include "workflows/mcp/form.hpp"
#include "workflows/server/guard/guard.hpp"
#include <algorithm>
#include <cmath>
#include <deque>

namespace weft::mcp_server {
namespace {
using nlohmann::json;
constexpr const char* approval = "approval";
constexpr std::size_t most_open = 1000, key_length = 32;

/// Whether the offer refuses unknown arguments, as workflows do, so that it does not ignore a misspelled one. Tools of
/// other servers and schemas with own rules for further members stay unchanged.
bool is_closed(const tools::Tool& tool) {
    const auto& schema = tool.schema();
    return tool.version().empty() && schema.value("properties", json()).is_object() &&
           std::ranges::none_of(std::initializer_list<const char*>{"additionalProperties", "unevaluatedProperties",
                                                                   "patternProperties", "anyOf", "oneOf", "allOf", "if",
                                                                   "dependentSchemas", "$ref"},
                                [&](const char* key) { return schema.contains(key); });
}
void refuse_unknown_arguments(const tools::Tool& tool, const json& arguments) {
    json names = {{"properties", json::object()}};
    for (const auto& [name, property] : tool.schema()["properties"].items()) names["properties"][name] = true;
    catalog::refuse_unknown_fields(names, tool.name(), arguments, "the call");
}
json described(const tools::Tool& tool) {
    json all = {{"name", tool.name()}, {"description", tool.description()}, {"inputSchema", tool.schema()}};
    if (is_closed(tool)) all["inputSchema"]["additionalProperties"] = false;
    all["annotations"] = {{"readOnlyHint", tool.is_parallel()}};
    return all;
}
json approval_question(const std::string& name, const std::string& arguments, const tools::Verdict& verdict) {
    json form = {{"type", "object"},
                 {"properties", {{"approve", {{"type", "boolean"}, {"description", "whether it may run"}}}}},
                 {"required", {"approve"}}};
    const auto why = verdict.changed ? " But " + verdict.why + "." : std::string();
    return {{approval,
             elicitation("May the tool " + name + " run with " + shown_part(arguments) + "?" + why, std::move(form))}};
}
bool is_approved(const json& answers) {
    const auto answer = answers.value(approval, json::object());
    return answer.value("action", json()) == "accept" && answer.contains("content") && answer["content"].is_object() &&
           answer["content"].value("approve", json()) == true;
}
/// Sends a tool's progress as the call's, which always rises, whatever the tool reports.
class ClientContext final : public tools::ToolContext {
public:
    explicit ClientContext(Call& call) : call_(call) {}
    json values() const override { return call_.values(); }
    /// Only for legacy clients: a client of 2026-07-28 would call again, and the tool would start again.
    bool can_ask() const override { return !call_.modern() && call_.can("elicitation"); }

private:
    static constexpr const char* asked = "question";
    static constexpr double most_counted = 1e15;
    awaitable<tools::ToolAnswer> put(tools::ToolQuestion question) override {
        tools::ToolAnswer answer;
        auto form = json::parse(question.form.text, nullptr, false);
        if (!form.is_object())
            throw tools::ToolError("the form of the question is not a JSON object, so the question was not asked");
        auto message = question.from.empty() ? question.message : question.from + " asks: " + question.message;
        message = with_mistake(std::move(message), question.mistake);
        json questions = {{asked, elicitation(message, std::move(form))}};
        auto asking = call_.ask(std::move(questions), asked);
        const auto answers = co_await std::move(asking);
        const auto said = answers.value(asked, json::object());
        const auto action = said.value("action", json());
        answer.action = action == "accept"    ? tools::AnswerAction::accept
                        : action == "decline" ? tools::AnswerAction::decline
                                              : tools::AnswerAction::cancel;
        answer.content.text =
            said.value("content", json::object()).dump(-1, ' ', false, json::error_handler_t::replace);
        co_return answer;
    }
    void tell(ProgressReport told) override {
        if (told.done) counts_ = false;
        auto now = std::min(told.done ? *told.done : counts_ ? last_ + 1 : last_, most_counted);
        if (now <= last_) now = std::nextafter(last_, HUGE_VAL);  // rises by the least
        if (told.total) total_ = std::min(*told.total, most_counted);
        call_.progress(last_ = now, total_, told.text);
    }
    Call& call_;
    double last_ = -1;
    bool counts_ = true;  // false after the tool's first count of its own
    std::optional<double> total_;
};
/// The open questions of modern clients, the oldest first. Beyond the maximum the oldest is dropped.
class OpenApprovals {
public:
    void add(std::string key) {
        if (keys_.size() >= most_open) keys_.pop_front();
        keys_.push_back(std::move(key));
    }
    bool take(const std::string& key) { return std::erase(keys_, key) > 0; }
    void clear() { keys_.clear(); }

private:
    std::deque<std::string> keys_;
};
/// Asks for an approval, again if the answer is about another version of the tool.
awaitable<json> ask_for_approval(json question, std::string fingerprint, OpenApprovals& open, Call& call) {
    auto key = call.state().value_or("");
    if (!key.empty() && !open.take(key))
        throw RpcFailure(rpc::code::bad_params, "the question of this answer is no longer open: call again without "
                                                "requestState and inputResponses");
    if (!key.ends_with(' ' + fingerprint)) key = server::random_text(key_length) + ' ' + fingerprint;
    try {
        co_return co_await call.ask(std::move(question), key);
    } catch (const InputRequiredResult&) {
        open.add(std::move(key));
        throw;
    }
}
awaitable<json> call_tool_of(const tools::Registry& tools, std::shared_ptr<OpenApprovals> open, std::string name,
                             Call& call) {
    if (const auto* tool = tools.find(name); tool && is_closed(*tool))
        refuse_unknown_arguments(*tool, call.arguments());
    auto arguments = call.arguments().dump(-1, ' ', false, json::error_handler_t::replace);
    const auto fingerprint = tools.fingerprint(name);  // read before the verdict: Registry::accept
    const auto verdict = tools.permission(name, arguments);
    if (verdict.permission == tools::Permission::block)
        co_return text_result("this server blocks the call" + (verdict.why.empty() ? "" : ": " + verdict.why), true);
    if (verdict.permission == tools::Permission::ask) {
        if (!fits_question(arguments))
            co_return text_result("the call needs an approval, and its arguments are too long for the question: "
                                  "it did not run",
                                  true);
        auto asking = ask_for_approval(approval_question(name, arguments, verdict), fingerprint, *open, call);
        const auto answers = co_await std::move(asking);
        if (!is_approved(answers)) co_return text_result("the call was not approved, so it did not run", true);
        tools.accept(name, fingerprint);
    }
    ClientContext context(call);
    const auto seen = co_await tools.call(std::move(name), std::move(arguments), context);
    co_return text_result(seen.text, !seen.ok);
}
}

std::vector<ServedTool> offer_tools(const tools::Registry& tools) {
    std::vector<ServedTool> all;
    const auto open = std::make_shared<OpenApprovals>();
    for (const auto& tool : tools.all()) {
        if (tools.denies(tool->name())) continue;
        all.push_back(
            {described(*tool),
             [&tools, open, name = tool->name()](Call& call) { return call_tool_of(tools, open, name, call); },
             [open] { open->clear(); }});
    }
    return all;
}
void add_tools(Core& core, const tools::Registry& tools, const std::function<void(const std::string&)>& note) {
    for (auto& offer : offer_tools(tools)) try {
            core.add(std::move(offer));
        } catch (const Error& error) {
            if (note) note(std::string(error.what()) + "; it is left out");
        }
}
}
