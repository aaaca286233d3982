// The `function-call` dialect: replies are JSON with a call in it (steps/agents/react/dialects/function_parser.hpp),
// and the prompt shows the run so far as numbered steps.
//
//     auto all = function_tools(tools, model, sampling);       // the user's tools, then llm_tool
//     FunctionDialect dialect(all);                            // the registry must outlive it
//     auto agent = react.with(model, dialect, memory, all, options);
//     dialect = FunctionDialect(all, {Example::from_call("Now the product.", "multiply", R"({"a": 3, "b": 4})")});
//
// finish(answer) ends a task. It is not in the registry, but the prompt lists it after the tools, and its name is
// reserved.
//
// The prompt is made from a template with the places {tools}, {output_format} (the form of a reply, with the examples),
// {question} and {steps} (the steps so far, and, after the last one, the request to finish). It may have {system} (the
// user's instructions; without a place they go to the end of the first message) and {max_steps}. The part up to </SYS>
// is the first message, an instruction; the earlier conversation follows, then the rest of the template. A template
// without </SYS> makes one message. Texts from models and tools are quoted, so that they cannot look like a tag or a
// step.
#pragma once
#include "steps/agents/react/dialect.hpp"
#include "steps/agents/text/prompt_template.hpp"

namespace weft::agents::inline react_steps {
/// An example of a reply for the prompt: Example::from_call("Now the product.", "multiply", R"({"a": 3, "b": 4})").
struct Example {
    std::string thought;  // may be empty
    std::string action;   // a call
    /// `arguments` are JSON text of an object. Throws Error{bad_json}.
    static Example from_call(std::string thought, std::string_view tool, std::string_view arguments);
    std::string text() const;
};

class FunctionDialect final : public Dialect {
public:
    static constexpr int usual_steps = 10;  // default of max_steps with this dialect
    static const std::string& usual_template();

    /// Throws Error{usage} for a registry with a tool named finish, and Error{configuration} for a template with
    /// unknown or missing places.
    explicit FunctionDialect(const tools::Registry&, std::vector<Example> examples = {},
                             std::string template_text = usual_template());
    std::string_view name() const override { return "function-call"; }
    std::vector<models::Message> prompt(const PromptInput&) const override;
    std::vector<std::string> stop() const override { return {"\nObservation:"}; }
    std::unique_ptr<ReplyParser> parser() const override;
    const PromptTemplate* prompt_template() const override { return &whole_; }
    std::string_view reply_form() const override;

    const std::vector<Example>& examples() const { return examples_; }  // the last one shows finish
    std::string output_format() const;

private:
    const tools::Registry* tools_;
    std::vector<Example> examples_;
    PromptTemplate whole_, first_, rest_;  // the template, and its parts up to </SYS> and after it
    PromptTemplate before_steps_;          // the part of rest_ before {steps}, which never changes in a run
    bool places_system_;
};

/// The user's tools, then llm_tool if `fallback`. Throws Error{usage} if a tool has the name finish, or llm_tool if
/// that is added. The model must outlive the registry.
tools::Registry function_tools(const tools::Registry& own, models::ChatModel&, const models::Sampling& = {},
                               bool fallback = true);
}
